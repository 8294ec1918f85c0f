/** Reads definitions from files, folders and standard input, and reports everything that is wrong with them. */

import { assemble, beginCollecting, collect, endCollecting, type Loaded } from './assemble.ts';
import { findLookAlikes } from './look-alikes.ts';
import { isFull } from './read-file.ts';
import { type LoadOptions, readText } from './read-text.ts';

/**
 * Loads definitions. Faults of the definitions are among the problems, and are never thrown.
 *
 * @param paths files, folders (searched for .yaml, .yml and .json), and `-` for standard input
 */
export async function loadDefinitions(paths: readonly string[], options: LoadOptions = {}): Promise<Loaded> {
  const collecting = beginCollecting(paths);
  for (const file of collecting.files) {
    if (isFull(collecting.reading)) break;
    collect(collecting, file, await readText(file, options));
  }
  const collected = endCollecting(collecting);
  return assemble(collected, await findLookAlikes(collected.definitions, collected.references));
}
