import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findGo } from './programs.ts';

/**
 * Reads a file of a Go module, such as the CustomResourceDefinitions of others: nothing of theirs is kept here. Go downloads it once
 * on a machine.
 *
 * @param module with its version: `example.com/module@v1.2.3`
 * @throws when Go is not there, or there is no such module or file
 */
export async function readFromModule(module: string, file: string): Promise<string> {
  const go = findGo();
  if (go === undefined) throw new Error('Go is needed to download the module');
  const run = (...args: string[]) => promisify(execFile)(go, args, { cwd: tmpdir() });
  // A module that wants a newer Go is there all the same, and said to have failed.
  const said = await run('mod', 'download', '-json', module).then(
    () => '',
    (error: unknown) => String(error),
  );
  const { stdout } = await run('env', 'GOMODCACHE');
  return readFile(path.join(stdout.trim(), module, file), 'utf8').catch((error: unknown) => {
    throw new Error(`${module} cannot be had: ${said}`, { cause: error });
  });
}
