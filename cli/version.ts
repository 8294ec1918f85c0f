import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from './files/package-folder.ts';

/** The version of the command line, as its package says. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
