import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { looksLikeDefinitions } from '@rolecall/crds';
import { CliError, reasonOf } from '../errors.ts';

/**
 * Checks that `--out` can be written before the work for it begins.
 *
 * @throws CliError that names the place
 */
export function failUnlessWritable(out: string): void {
  const folder = path.dirname(path.resolve(out));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new CliError('ERR_OUT', `--out ${out} cannot be written: ${reasonOf(error)} (${folder})`);
  }
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CliError('ERR_OUT', `--out ${out} is a folder: name a file in it`);
  }
}

/**
 * The same for output that replaces a file: a mistyped command must not overwrite definitions.
 *
 * @throws CliError that names the place
 */
export function failUnlessReplaceable(out: string): void {
  if (out === '-')
    throw new CliError('ERR_OUT', '--out - is not a file: without --out, the output goes to standard output');
  failUnlessWritable(out);
  const isFile = statSync(out, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile || !looksLikeDefinitions(readFileSync(out, 'utf8'))) return;
  throw new CliError('ERR_OUT', `--out ${out} exists and contains definitions: give another name, or remove the file`);
}
