import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';

/**
 * Looking into a store must not make one: that would hide that the folder is the wrong one.
 *
 * @throws CliError unless the folder holds the store of a service
 */
export function failUnlessStore(dataDir: string): void {
  if (!existsSync(dataDir)) throw new CliError('ERR_NO_DATA', `there is no folder ${dataDir}: correct --data`);
  if (existsSync(join(dataDir, 'rolecall.db'))) return;
  throw new CliError(
    'ERR_NO_STORE',
    `there is no store in ${dataDir}: correct --data, or make one by rolecall serve or rolecall keys create`,
  );
}
