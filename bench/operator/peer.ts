/** The Go operator that the same is asked of in the same run. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../../test/support/kubernetes/programs.ts';
import type { Program } from './process.ts';

/**
 * Builds an operator on controller-runtime that does the measured work. The first build takes some minutes; Go keeps what it compiled.
 *
 * @param folder where the program is put
 * @returns nothing where Go is not there
 */
export async function buildPeer(folder: string): Promise<Program | undefined> {
  const go = findGo();
  if (go === undefined) return undefined;
  const command = join(folder, 'peer');
  await promisify(execFile)(go, ['build', '-trimpath', '-o', command, '.'], {
    cwd: join(import.meta.dirname, 'peer'),
    maxBuffer: 2 ** 26,
  });
  return { command, args: [] };
}
