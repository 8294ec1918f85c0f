import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntryDraft } from '../../audit/entry.ts';
import { bumpCollectionVersion } from '../collection-version.ts';
import type { AppendEntries, Collection } from '../store.ts';
import { createWriteQueue, type Queued, type WriteQueue } from '../write-queue.ts';
import { beginWrite } from './begin-write.ts';
import type { SqliteConnection } from './connection.ts';
import { PacedExecutor } from './paced.ts';
import type { Reader } from './reader.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

export interface WriterParts {
  readonly connection: SqliteConnection;
  readonly log: Pick<WriteAheadLog, 'makeRoom' | 'requireIntact' | 'sync'>;
  readonly reader: Pick<Reader, 'hold' | 'refresh'>;
  /** Writes the audit trail, once for each group. */
  readonly append: AppendEntries;
  /** Called after each commit, before any answer, with the number of writes in the group. */
  readonly committed: (writes: number) => void;
}

/**
 * Runs the writes of one turn of the event loop as one transaction. Each write has its own savepoint, so a failed write undoes
 * only itself. None is answered, and no read sees it, before the commit is on disk.
 */
export function createWriter(parts: WriterParts): WriteQueue {
  return createWriteQueue((take) => runGroup(parts, take));
}

async function runGroup(parts: WriterParts, take: () => readonly Queued[]): Promise<void> {
  let group: readonly Queued[] | undefined;
  try {
    parts.log.requireIntact();
    await parts.log.makeRoom();
    group = take();
    const answers = await commitGroup(parts, group);
    parts.committed(group.length);
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group ?? take()) reject(error);
  }
}

/** A group that took more turns of the event loop than this has much to write. */
const turnsOfLarge = 10;

/** Runs a group in one transaction. Returns, once that is on disk, functions that settle each write. */
async function commitGroup(
  { connection, log, reader, append }: WriterParts,
  group: readonly Queued[],
): Promise<(() => void)[]> {
  const changed = new Set<Collection>();
  const entries: EntryDraft[] = [];
  const answers: (() => void)[] = [];
  await beginWrite(connection);
  const executor = new PacedExecutor(connection);
  try {
    for (const write of group) answers.push(await runWrite(connection, executor, write, changed, entries));
    for (const collection of changed) await bumpCollectionVersion(executor, collection);
    if (entries.length > 0) answers.unshift(await append(executor, entries));
    // Large commits have a turn of their own.
    if (executor.turns >= turnsOfLarge) await nextTurn();
    // Write nothing if the folder is gone. It may still go before the commit is on disk, so the commit is acknowledged only if
    // the file is in place after that, too.
    connection.requireSameFile();
    reader.hold();
    connection.run('COMMIT');
    await log.sync();
    connection.requireSameFile(true);
    return answers;
  } catch (error) {
    await executor.settle();
    rollBack(connection);
    throw error;
  } finally {
    reader.refresh();
  }
}

async function runWrite(
  connection: SqliteConnection,
  executor: PacedExecutor,
  { changes, work, resolve, reject }: Queued,
  changed: Set<Collection>,
  entries: EntryDraft[],
): Promise<() => void> {
  const recorded: EntryDraft[] = [];
  connection.run('SAVEPOINT one_write');
  try {
    const value = await work(executor, (entry) => {
      recorded.push(entry);
    });
    connection.run('RELEASE one_write');
    entries.push(...recorded);
    for (const collection of changes) changed.add(collection);
    return () => {
      resolve(value);
    };
  } catch (error) {
    await executor.settle();
    // If SQLite itself ended the transaction (disk full), this throws, and the whole group fails.
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
    // SQLite has already rolled back by itself.
  }
}
