import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';

/** What the service and `restore` make in the folder, drafts that a crash left and SQLite's own files among it. */
const ownNames =
  /^(rolecall\.db(\.part)?(-(journal|wal|shm))?|store\.key(\.\d+-[0-9a-f]{8})?|service\.(pid|lock(-journal)?)|spool)$/;

/**
 * Makes the data folder, which nobody but its owner may look into. One that exists is closed to others only when there is
 * nothing in it but what the service makes itself: a folder that was named by mistake keeps its mode.
 */
export function prepareDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if ((statSync(dataDir).mode & 0o077) === 0) return;
  // A store in it proves nothing: this is called again once the first opening has made one.
  if (!readdirSync(dataDir).every((name) => ownNames.test(name))) return;
  try {
    chmodSync(dataDir, 0o700);
  } catch {
    // A mounted volume may belong to somebody else. The files in it are 0600 all the same.
  }
}
