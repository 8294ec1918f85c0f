import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { EntryDraft } from '../../audit/entry.ts';
import { bumpCollectionVersions } from '../collection-version.ts';
import { type AppendEntries, type Collection, refuseEntries } from '../store.ts';
import { createWriteQueue, type Queued, type WriteQueue } from '../write-queue.ts';
import { beginWrite } from './begin-write.ts';
import { autocheckpoint, type SqliteConnection } from './connection.ts';
import { PacedExecutor } from './paced.ts';

/**
 * Runs the writes of one turn of the event loop as one transaction. Each write has its own savepoint, so a failed write undoes
 * only itself. None is answered before the commit.
 *
 * @param committed called after each commit, before any answer, with the number of writes in the group
 * @param append writes the audit trail, once for each group; without it, nothing may be recorded
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
    const { answers, isLarge } = await commitGroup(connection, group, append);
    committed(group.length);
    for (const answer of answers) answer();
    if (isLarge) await checkpointElsewhere(connection);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** A group that took more turns of the event loop than this has much to write to the disk. */
const turnsOfLarge = 10;

/** Runs a group in one transaction. Returns, once that is on disk, functions that settle each write. */
async function commitGroup(
  connection: SqliteConnection,
  group: readonly Queued[],
  append: AppendEntries,
): Promise<{ answers: (() => void)[]; isLarge: boolean }> {
  const changed = new Set<Collection>();
  const entries: EntryDraft[] = [];
  const answers: (() => void)[] = [];
  await beginWrite(connection);
  const executor = new PacedExecutor(connection);
  try {
    for (const write of group) answers.push(await runWrite(connection, executor, write, changed, entries));
    await bumpCollectionVersions(executor, changed);
    if (entries.length > 0) answers.unshift(await append(executor, entries));
    // Write nothing if the folder is gone. It may still go before the commit ends, so the commit is acknowledged only if the
    // file is in place after it, too.
    connection.requireSameFile();
    const isLarge = executor.turns >= turnsOfLarge;
    if (isLarge) await commitLarge(connection);
    else connection.run('COMMIT');
    connection.requireSameFile(true);
    return { answers, isLarge };
  } catch (error) {
    await executor.settle();
    rollBack(connection);
    throw error;
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

/** Commits a large transaction in a turn of its own, and leaves the checkpoint to `checkpointElsewhere`. */
async function commitLarge(connection: SqliteConnection): Promise<void> {
  await nextTurn();
  connection.requireSameFile();
  connection.run('PRAGMA wal_autocheckpoint = 0');
  try {
    connection.run('COMMIT');
  } finally {
    connection.run(autocheckpoint);
  }
}

const checkpoint = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(require('node:worker_threads').workerData);
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)');
  database.close();
`;

/** Copies the log into the store, in a thread of its own. Where that fails, a later commit does it. */
async function checkpointElsewhere({ file }: SqliteConnection): Promise<void> {
  try {
    await once(new Worker(checkpoint, { eval: true, workerData: file }), 'exit');
  } catch {
    // The log is as it was.
  }
}
