import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './io.ts';

/**
 * Caches compiled code for the next start, since the command line starts often and runs briefly. The cache is in the user's
 * own cache folder: Node's default is the folder for temporary files, where any user of the machine could place code
 * that would then run with this user's rights. Without a writable folder, nothing is cached.
 */
export function keepCompiled(): void {
  const folder = cacheFolder(process.env, homedir);
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * Rolecall's folder in the user's cache.
 *
 * @param home returns the user's home folder; it may throw, since the user of a container often has none
 */
export function cacheFolder({ XDG_CACHE_HOME: cache = '' }: Environment, home: () => string): string | undefined {
  // A relative path would be a folder in the current folder.
  if (isAbsolute(cache)) return join(cache, 'rolecall');
  try {
    const folder = home();
    return isAbsolute(folder) ? join(folder, '.cache', 'rolecall') : undefined;
  } catch {
    return undefined;
  }
}
