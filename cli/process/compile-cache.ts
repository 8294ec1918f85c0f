import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './io.ts';

/**
 * Keeps what is compiled for the next start, as the command line is started often and lives shortly. In the user's own
 * cache folder: Node's default is in the folder for temporary files, where anybody on the machine could leave code that
 * is then run with this user's rights. Where there is no such folder, or it cannot be written, nothing is kept.
 */
export function keepCompiled(): void {
  const folder = cacheFolder(process.env, homedir);
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * The folder of the user's cache that is Rolecall's.
 *
 * @param home gives the user's home folder; it may throw, as a container's user often has none
 */
export function cacheFolder({ XDG_CACHE_HOME: cache = '' }: Environment, home: () => string): string | undefined {
  // What is relative would be a folder in whatever folder this runs in.
  if (isAbsolute(cache)) return join(cache, 'rolecall');
  try {
    const folder = home();
    return isAbsolute(folder) ? join(folder, '.cache', 'rolecall') : undefined;
  } catch {
    return undefined;
  }
}
