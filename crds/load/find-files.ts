/** Finds the files of definitions. */

import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isDefinitionName } from './definition-name.ts';
import { codeOf, readProblem, standardInput } from './files.ts';
import { looksLikeDefinition } from './looks-like-definition.ts';
import { fileProblem, type Problem } from './problems.ts';

/** Unread files that are searched for definitions, for all folders together. */
const mostLooks = 2000;

interface Search {
  readonly files: string[];
  readonly problems: Problem[];
  /** The real paths of the files that were found, so that nothing is read twice and loops of links end. */
  readonly seen: Set<string>;
  /** The files of folders that are not read, by their names. */
  readonly others: string[];
}

/**
 * Finds the files behind paths. Folders are searched for .yaml, .yml and .json, except node_modules and names that begin with
 * a dot; files that are named themselves may have any ending.
 *
 * @returns the files, each once, those of a folder in order; a problem for each path that leads to nothing; and a warning for each file
 *   of a folder that looks like a definition and is not read, and for each link that leads nowhere and may have led to a folder
 */
export function findFiles(paths: readonly string[]): { files: string[]; problems: Problem[] } {
  const search: Search = { files: [], problems: [], seen: new Set(), others: [] };
  for (const path of paths) {
    if (path === standardInput) addOnce(search, path, path);
    else findPath(search, path);
  }
  return { files: search.files, problems: [...search.problems, ...passedOver(search)] };
}

function findPath(search: Search, path: string): void {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) {
      // A pipe or a terminal that is named by itself is intended, as in a shell's <(…).
      if (stats.isSocket() || stats.isBlockDevice()) search.problems.push(notAFile(path, stats));
      else addOnce(search, path, realpathSync(path));
      return;
    }
    if (walk(search, path) > 0) return;
    const remedy = 'Name the folder that holds the definitions, or the files themselves.';
    search.problems.push(fileProblem('nothing_found', path, 'the folder holds no .yaml, .yml or .json file', remedy));
  } catch (error) {
    search.problems.push(readProblem(path, error));
  }
}

/** Adds the files of a folder and of the folders in it. Returns how many there are, with those that were added before. */
function walk(search: Search, folder: string): number {
  const real = realpathSync(folder);
  if (search.seen.has(real)) return 1;
  search.seen.add(real);
  let count = 0;
  for (const name of readdirSync(folder).toSorted()) {
    if (name === 'node_modules') continue;
    const path = join(folder, name);
    const isHidden = name.startsWith('.');
    const isWanted = isDefinitionName(name) && !isHidden;
    try {
      const stats = statSync(path);
      if (stats.isDirectory()) count += isHidden ? 0 : walk(search, path);
      else if (isWanted) {
        // A pipe without a writer would never end.
        if (stats.isFile()) addOnce(search, path, realpathSync(path));
        else search.problems.push(notAFile(path, stats));
        count += 1;
      } else if (stats.isFile() && search.others.length < mostLooks) search.others.push(path);
    } catch (error) {
      if (isWanted || (codeOf(error) === 'EACCES' && !isHidden)) {
        search.problems.push(readProblem(path, error));
        count += 1;
      } else if (!isHidden && extname(name) === '') {
        // Such a link may have led to a folder of definitions.
        search.problems.push({ ...readProblem(path, error), severity: 'warning' });
      }
    }
  }
  return count;
}

/** A warning for each file that looks like a definition and is not read, not even by another name. */
function passedOver({ others, seen }: Search): Problem[] {
  const unread = others.filter((path) => looksLikeDefinition(path) && !seen.has(realpathSync(path)));
  return unread.map((path) => ({
    ...fileProblem(
      'passed_over',
      path,
      'is passed over, though it looks like a definition: folders are read for .yaml, .yml and .json, and for no name that begins with a dot',
      'Rename the file or name it on its own, if it is to be read; move it elsewhere if it is not.',
    ),
    severity: 'warning',
  }));
}

function addOnce(search: Search, path: string, real: string): void {
  if (search.seen.has(real)) return;
  search.seen.add(real);
  search.files.push(path);
}

function notAFile(path: string, stats: Stats): Problem {
  const what = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device';
  return fileProblem('file_unreadable', path, `is ${what}, not a file`, 'Remove it from what is read, or rename it.');
}
