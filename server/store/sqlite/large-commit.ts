import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { autocheckpoint, type SqliteConnection } from './connection.ts';

/** Commits a large transaction in a turn of its own, and leaves the checkpoint to `checkpointElsewhere`. */
export async function commitLarge(connection: SqliteConnection): Promise<void> {
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
export async function checkpointElsewhere({ file }: SqliteConnection): Promise<void> {
  try {
    await once(new Worker(checkpoint, { eval: true, workerData: file }), 'exit');
  } catch {
    // The log is as it was.
  }
}
