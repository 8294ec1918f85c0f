import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreLockedError } from '../store/errors.ts';

/**
 * Makes this the only process that serves from a data folder. The lock is SQLite's, on a file of its own: the operating
 * system lets go of it when the process dies, however it dies, so that no lock is ever left behind. The process's id
 * stands beside it, only to be shown.
 *
 * @returns lets go of the lock
 * @throws StoreLockedError which names the other process
 */
export function lockDataFolder(dataDir: string): () => void {
  const pidFile = path.join(dataDir, 'service.pid');
  const lockFile = path.join(dataDir, 'service.lock');
  // SQLite would make the file readable for everybody.
  closeSync(openSync(lockFile, 'a', 0o600));
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === 5)) throw error; // SQLITE_BUSY
    throw new StoreLockedError(
      `${dataDir} is served by another process already${describeOwner(pidFile)}: stop that one, or use another folder`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(pidFile, { force: true });
    lock.close();
  };
}

function describeOwner(pidFile: string): string {
  try {
    return ` (pid ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
