import { statSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../errors.ts';

/**
 * Reading a store must not create one, which would hide that the folder is the wrong one.
 *
 * @throws CliError unless the folder holds the store of a service
 */
export function failUnlessStore(dataDir: string): void {
  if (!isThere(dataDir)) throw new CliError('ERR_NO_DATA', `the folder ${dataDir} does not exist: correct --data`);
  if (hasStore(dataDir)) return;
  throw new CliError(
    'ERR_NO_STORE',
    `${dataDir} contains no store: correct --data, or create a store with rolecall serve or rolecall keys create`,
  );
}

/** True if a folder holds the store of a service. */
export function hasStore(dataDir: string): boolean {
  return isThere(path.join(dataDir, 'rolecall.db'));
}

/** A file that this user may not see still exists: creating a store beside it would be wrong. */
function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') return false;
    throw new CliError('ERR_NO_STORE', `permission denied: ${file}. Run the command as the user that runs the service`);
  }
}
