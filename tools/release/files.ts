import { globSync } from 'node:fs';
import path from 'node:path';

/** The files in a folder and those below it, by their path from there with slashes, in the same order everywhere. */
export function filesBelow(folder: string): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .toSorted();
}
