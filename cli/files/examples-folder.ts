import { existsSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../errors.ts';
import { packageFolder, runsFromSources } from './package-folder.ts';

/**
 * A folder of the examples: the package has a copy of them, the repository the examples themselves.
 *
 * @throws CliError where an installation is without them
 */
export function examplesFolder(name: 'acme' | 'ci' | 'starter'): string {
  const folder = path.join(packageFolder, runsFromSources ? '..' : 'dist', 'examples', name);
  if (existsSync(folder)) return folder;
  throw new CliError('ERR_NO_EXAMPLE', `this installation does not contain the examples: ${folder} does not exist`);
}
