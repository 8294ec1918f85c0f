import type { EntryDraft } from '../../audit/entry.ts';
import { bumpCollectionVersion } from '../collection-version.ts';
import { type AppendEntries, type Collection, refuseEntries } from '../store.ts';
import { createWriteQueue, type Queued, type WriteQueue } from '../write-queue.ts';
import { beginWrite } from './begin-write.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Runs the writes that come within one turn of the event loop as one transaction. Each write has a savepoint of its own,
 * and the failure of one undoes only that one. None is answered before the commit.
 *
 * @param committed is called after each commit, before anything is answered, with the number of writes in the group
 * @param append writes the audit trail, once a group; left out, nothing may be recorded
 */
export function createWriter(
  connection: SqliteConnection,
  committed: (writes: number) => void,
  append: AppendEntries = refuseEntries,
): WriteQueue {
  return createWriteQueue((take) => runGroup(connection, take(), append, committed));
}

async function runGroup(
  connection: SqliteConnection,
  group: readonly Queued[],
  append: AppendEntries,
  committed: (writes: number) => void,
): Promise<void> {
  try {
    const answers = await commitGroup(connection, group, append);
    committed(group.length);
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs a group in one transaction; gives, once that is on disk, what settles each write. */
async function commitGroup(
  connection: SqliteConnection,
  group: readonly Queued[],
  append: AppendEntries,
): Promise<(() => void)[]> {
  const changed = new Set<Collection>();
  const entries: EntryDraft[] = [];
  const answers: (() => void)[] = [];
  await beginWrite(connection);
  try {
    for (const write of group) answers.push(await runWrite(connection, write, changed, entries));
    for (const collection of changed) await bumpCollectionVersion(connection, collection);
    if (entries.length > 0) answers.unshift(await append(connection, entries));
    // A folder that is gone by now gets nothing. Between this and the end of the commit it may still go: what was committed
    // is acknowledged only if its file is in place after that, too.
    connection.requireSameFile();
    connection.run('COMMIT');
    connection.requireSameFile(true);
    return answers;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

async function runWrite(
  connection: SqliteConnection,
  { changes, work, resolve, reject }: Queued,
  changed: Set<Collection>,
  entries: EntryDraft[],
): Promise<() => void> {
  const recorded: EntryDraft[] = [];
  connection.run('SAVEPOINT one_write');
  try {
    const value = await work(connection, (entry) => {
      recorded.push(entry);
    });
    connection.run('RELEASE one_write');
    entries.push(...recorded);
    for (const collection of changes) changed.add(collection);
    return () => {
      resolve(value);
    };
  } catch (error) {
    // Where SQLite itself has ended the transaction (disk full), this throws, and the whole group fails.
    connection.run('ROLLBACK TO one_write');
    connection.run('RELEASE one_write');
    return () => {
      reject(error);
    };
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.run('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself already.
  }
}
