import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps what is compiled for the next start, as the command line is started often and lives shortly. In the user's own
 * cache folder: Node's default is in the folder for temporary files, where anybody on the machine could leave code that
 * is then run with this user's rights. Where it cannot be written, there is none.
 */
export function keepCompiled(): void {
  const cache = process.env['XDG_CACHE_HOME'] ?? '';
  enableCompileCache(join(cache === '' ? join(homedir(), '.cache') : cache, 'rolecall'));
}
