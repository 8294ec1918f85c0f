import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreLockedError } from '../store/errors.ts';

/** Names of the files that Rolecall makes in the folder, including drafts that a crash left and SQLite's own files. */
const ownNames =
  /^(rolecall\.db(\.part)?(-(journal|wal|shm))?|store\.key(\.part|\.\d+-[0-9a-f]{8})?|service\.pid|(service|rekey)\.lock(-journal)?|spool)$/;

/**
 * Makes the data folder, which only its owner may look into. One that exists is closed to others only when there is
 * nothing in it but what Rolecall makes itself: a folder that was named by mistake keeps its mode.
 */
export function prepareDataFolder(dataDir: string): void {
  makeFolder(dataDir);
  if ((statSync(dataDir).mode & 0o077) === 0) return;
  // A store in it proves nothing: this is called again once the first opening has made one.
  if (!readdirSync(dataDir).every((name) => ownNames.test(name))) return;
  try {
    chmodSync(dataDir, 0o700);
  } catch {
    // A mounted volume may belong to another user. The files in it are 0600 all the same.
  }
}

/** With `recursive`, Node tries for ever where a file system such as /proc takes no folder. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Makes this the only process that serves from a data folder. The process's id stands beside the lock, only to be shown.
 *
 * @returns lets go of the lock
 * @throws StoreLockedError which names the other process
 */
export function lockDataFolder(dataDir: string): () => void {
  const pidFile = path.join(dataDir, 'service.pid');
  const unlock = lockFile(path.join(dataDir, 'service.lock'));
  if (unlock === undefined) {
    throw new StoreLockedError(
      `${dataDir} is served by another process already${describeOwner(pidFile)}: stop that one, or use another folder`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(pidFile, { force: true });
    unlock();
  };
}

/** Makes this the only process that changes `store.key`. @returns lets go of the lock @throws StoreLockedError */
export function lockKeyFile(dataDir: string): () => void {
  const unlock = lockFile(path.join(dataDir, 'rekey.lock'));
  if (unlock !== undefined) return unlock;
  throw new StoreLockedError(`another process changes the key of the store in ${dataDir}: wait until it has ended`);
}

/**
 * The lock is SQLite's, on a file of its own: the operating system lets go of it when the process dies, however it dies, so
 * that no lock is ever left behind.
 *
 * @returns lets go of it; undefined where another process has it
 */
function lockFile(file: string): (() => void) | undefined {
  // SQLite would make the file readable for other users.
  closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === 5)) throw error; // SQLITE_BUSY
    return undefined;
  }
  return () => {
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
