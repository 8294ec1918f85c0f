import { bumpCollectionVersion } from '../collection-version.ts';
import type { Collection } from '../store.ts';
import { createWriteQueue, type Queued, type WriteQueue } from '../write-queue.ts';
import { beginWrite } from './begin-write.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Runs the writes that come within one turn of the event loop as one transaction. Each write has a savepoint of its own,
 * and the failure of one undoes only that one. None is answered before the commit.
 *
 * @param committed is called after each commit, before anything is answered
 */
export function createWriter(connection: SqliteConnection, committed: () => void): WriteQueue {
  return createWriteQueue((take) => runGroup(connection, take(), committed));
}

async function runGroup(connection: SqliteConnection, group: readonly Queued[], committed: () => void): Promise<void> {
  try {
    const answers = await commitGroup(connection, group);
    committed();
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs a group in one transaction; gives, once that is on disk, what settles each write. */
async function commitGroup(connection: SqliteConnection, group: readonly Queued[]): Promise<(() => void)[]> {
  const changed = new Set<Collection>();
  const answers: (() => void)[] = [];
  await beginWrite(connection);
  try {
    for (const write of group) answers.push(await runWrite(connection, write, changed));
    for (const collection of changed) await bumpCollectionVersion(connection, collection);
    connection.run('COMMIT');
    return answers;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

async function runWrite(connection: SqliteConnection, write: Queued, changed: Set<Collection>): Promise<() => void> {
  const { changes, work, resolve, reject } = write;
  connection.run('SAVEPOINT one_write');
  try {
    const value = await work(connection);
    connection.run('RELEASE one_write');
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
