/** Copies the log of the embedded store into its file, on a thread of its own: each copy waits for the disk several times. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// FULL: the log is on disk before pages of the file change, and the file is before the log is used again.
const database = new DatabaseSync(String(workerData));
database.exec('PRAGMA synchronous = FULL');
// PASSIVE keeps no one waiting. It leaves what another connection still reads from the log.
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  checkpoint.get();
  parentPort?.postMessage('done');
});
