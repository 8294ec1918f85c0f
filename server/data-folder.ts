import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';

/**
 * Makes the data folder, which nobody but its owner may look into. One that exists is closed to others only when it is
 * empty or holds a store already: a folder that was named by mistake keeps its mode.
 */
export function prepareDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if ((statSync(dataDir).mode & 0o077) === 0) return;
  const entries = readdirSync(dataDir);
  if (entries.length > 0 && !entries.includes('rolecall.db')) return;
  try {
    chmodSync(dataDir, 0o700);
  } catch {
    // A mounted volume may belong to somebody else. The files in it are 0600 all the same.
  }
}
