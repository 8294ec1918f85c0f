/** Reads definitions from files and folders synchronously, for constructors. */

import unhomoglyph from 'unhomoglyph';
import { skeletonOf } from '../fields/look-alike.ts';
import { assemble, beginCollecting, collect, endCollecting, type Loaded } from './assemble.ts';
import { isRegularFile } from './files.ts';
import { compareNames } from './look-alikes.ts';
import { fileProblem, type Problem } from './problems.ts';
import { isFull } from './read-file.ts';
import { type FileText, readFileText } from './read-text.ts';

/**
 * Does what `loadDefinitions` does, for files and folders alone: a pipe or standard input is a problem. Faults of the definitions
 * are among the problems, and are never thrown.
 *
 * @param paths files, and folders (searched for .yaml, .yml and .json)
 */
export function loadDefinitionsSync(paths: readonly string[]): Loaded {
  const collecting = beginCollecting(paths);
  for (const file of collecting.files) {
    if (isFull(collecting.reading)) break;
    collect(collecting, file, readRegularFile(file));
  }
  const collected = endCollecting(collecting);
  return assemble(
    collected,
    compareNames(collected.definitions, collected.references, (name) => skeletonOf(name, unhomoglyph)),
  );
}

function readRegularFile(file: string): FileText | { problem: Problem } {
  if (isRegularFile(file)) return readFileText(file);
  const message = 'is not a file, and nothing else can be read here';
  return { problem: fileProblem('file_unreadable', file, message, 'Name files and folders only.') };
}
