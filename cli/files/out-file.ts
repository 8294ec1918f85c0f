import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { looksLikeDefinitions } from '@rolecall/crds';
import { CliError, reasonOf } from '../errors.ts';

/**
 * Looks whether `--out` names a place that can be written to, before anything is made for it.
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
    throw new CliError('ERR_OUT', `--out ${out} is a folder: give the name of a file in it`);
  }
}

/**
 * The same for what a command prints anyway: a slip in a command line must not cost somebody the definitions.
 *
 * @throws CliError that names the place
 */
export function failUnlessReplaceable(out: string): void {
  if (out === '-') throw new CliError('ERR_OUT', '--out - names no file: without --out it goes to standard output');
  failUnlessWritable(out);
  const isFile = statSync(out, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile || !looksLikeDefinitions(readFileSync(out, 'utf8'))) return;
  throw new CliError('ERR_OUT', `--out ${out} is there and holds definitions: give another name, or remove it`);
}
