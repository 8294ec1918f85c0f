import { statSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../errors.ts';

/**
 * Looking into a store must not make one: that would hide that the folder is the wrong one.
 *
 * @throws CliError unless the folder holds the store of a service
 */
export function failUnlessStore(dataDir: string): void {
  if (!isThere(dataDir)) throw new CliError('ERR_NO_DATA', `there is no folder ${dataDir}: correct --data`);
  if (hasStore(dataDir)) return;
  throw new CliError(
    'ERR_NO_STORE',
    `there is no store in ${dataDir}: correct --data, or make one by rolecall serve or rolecall keys create`,
  );
}

/** Whether a folder holds the store of a service. @throws CliError where it may not be looked into */
export function hasStore(dataDir: string): boolean {
  return isThere(path.join(dataDir, 'rolecall.db'));
}

/** What may not be looked at is not what is not there: a new store beside it would be the wrong answer. */
function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') return false;
    throw new CliError(
      'ERR_NO_STORE',
      `${file} may not be looked at by this user: run the command as the user whose service it is`,
    );
  }
}
