import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findGo } from '../../test/support/kubernetes/programs.ts';

/**
 * Builds a program in Go that does the same work in the same run. The first build may take minutes; Go caches what it compiled.
 *
 * @param source the folder of its module
 * @param program the file that is made
 * @returns whether it was built: not where Go is not there
 */
export async function buildGo(source: string, program: string): Promise<boolean> {
  const go = findGo();
  if (go === undefined) return false;
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', program, '.'];
  await promisify(execFile)(go, args, { cwd: source, maxBuffer: 2 ** 26 });
  return true;
}
