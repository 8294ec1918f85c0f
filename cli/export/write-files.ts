import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../errors.ts';

/** Texts by path, relative to the folder, with slashes. */
export type Files = ReadonlyMap<string, string>;

/**
 * Writes files into a folder: all or none. A folder that is new appears with all its files at once; in one that is there
 * each file is put in place by a rename, and what was replaced comes back if one of them fails.
 *
 * @param folder may be there already
 * @param force whether files that are there may be replaced
 * @returns definitions in the folder that are not of this export; without `force` there are none
 * @throws CliError where files would be replaced, or mixed with definitions that are there
 */
export function writeFiles(folder: string, files: Files, force: boolean): string[] {
  const target = path.resolve(folder);
  const others = otherDefinitions(target, files);
  if (!force) failIfUsed(folder, target, files, others);
  // The loader passes over folders whose name begins with a dot, should one ever be left.
  const isNew = !existsSync(target) || isEmptyFolder(target);
  if (isNew) mkdirSync(path.dirname(target), { recursive: true });
  const staging = mkdtempSync(path.join(isNew ? path.dirname(target) : target, '.rolecall-export-'));
  try {
    const staged = path.join(staging, 'new');
    for (const [name, text] of files) {
      const file = path.join(staged, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    if (isNew) appear(staged, target);
    else putInPlace(staged, path.join(staging, 'old'), target, [...files.keys()]);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return others;
}

function failIfUsed(folder: string, target: string, files: Files, others: readonly string[]): void {
  const replaced = [...files.keys()].filter((name) => existsSync(path.join(target, name)));
  const inTheWay = [...replaced, ...others];
  if (inTheWay.length === 0) return;
  const some = inTheWay.slice(0, 5).join(', ') + (inTheWay.length > 5 ? ` and ${inTheWay.length - 5} more` : '');
  throw new CliError(
    'ERR_FILES_EXIST',
    `${folder} holds definitions already (${some}), so nothing was written: name another folder, or --force to replace files of the same name`,
    { files: inTheWay },
  );
}

/** Definitions that are there and would be read together with the exported ones. */
function otherDefinitions(target: string, files: Files): string[] {
  if (!existsSync(target)) return [];
  if (!lstatSync(target, { throwIfNoEntry: true }).isSymbolicLink() && !lstatSync(target).isDirectory()) {
    throw new CliError('ERR_NO_FOLDER', `${target} is there and is no folder: name another one`);
  }
  return readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => path.relative(target, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !files.has(name) && !name.split('/').some((part) => part.startsWith('.') || part === 'node_modules'))
    .sort();
}

function isEmptyFolder(target: string): boolean {
  return lstatSync(target).isDirectory() && readdirSync(target).length === 0;
}

function appear(staged: string, target: string): void {
  if (existsSync(target)) rmdirSync(target);
  renameSync(staged, target);
}

/** Replaces file by file; a failure undoes what was done. */
function putInPlace(staged: string, old: string, target: string, names: readonly string[]): void {
  const undo: (() => void)[] = [];
  try {
    for (const name of names) {
      const file = path.join(target, name);
      mkdirSync(path.dirname(file), { recursive: true });
      if (existsSync(file)) {
        const kept = path.join(old, name);
        mkdirSync(path.dirname(kept), { recursive: true });
        renameSync(file, kept);
        undo.push(() => {
          renameSync(kept, file);
        });
      }
      renameSync(path.join(staged, name), file);
      undo.push(() => {
        rmSync(file);
      });
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}
