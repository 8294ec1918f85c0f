import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDefinitionName, looksLikeDefinition } from '@rolecall/crds';
import { listUpTo } from '@rolecall/reconcile';
import { CliError, reasonOf } from '../errors.ts';

/** Texts by path, relative to the folder, with slashes. */
export type Files = ReadonlyMap<string, string>;

/**
 * Refuses a folder that contains definitions: they would be replaced, or read together with the exported ones.
 *
 * @throws CliError that names some of them
 */
export function failIfInTheWay(folder: string): void {
  const definitions = definitionsIn(path.resolve(folder));
  if (definitions.length === 0) return;
  throw new CliError(
    'ERR_FILES_EXIST',
    `${folder} already contains definitions (${listUpTo(5, definitions)}), so nothing was written: name another folder, or add --force to replace files of the same name`,
    { files: definitions },
  );
}

/**
 * Writes files into a folder: all or none. A folder that is new appears with all its files at once; in one that is there
 * each file is put in place by a rename, and what was replaced comes back if one of them fails.
 *
 * @param folder may be there already
 * @param force whether files that are there may be replaced
 * @returns the definitions in the folder that this export did not write; without `force` there are none
 * @throws CliError where a file is in the way
 */
export function writeFiles(folder: string, files: Files, force: boolean): string[] {
  if (!force) failIfInTheWay(folder);
  const target = path.resolve(folder);
  const others = definitionsIn(target).filter((name) => !files.has(name));
  // An empty folder is kept: a shell may be in it, and would be left in a deleted folder.
  const isNew = !existsSync(target);
  if (isNew) mkdirSync(path.dirname(target), { recursive: true });
  // The loader skips names that begin with a dot, in case a power cut leaves this folder behind.
  const staging = makeStaging(isNew ? path.dirname(target) : target);
  try {
    const staged = path.join(staging, 'new');
    for (const [name, text] of files) {
      const file = path.join(staged, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    if (isNew) renameSync(staged, target);
    else putInPlace(staged, path.join(staging, 'old'), target, [...files.keys()]);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return others;
}

/** @throws CliError that names the folder, where the system's error would name a file that the user does not know */
function makeStaging(folder: string): string {
  try {
    return mkdtempSync(path.join(folder, '.rolecall-export-'));
  } catch (error) {
    throw new CliError('ERR_SYSTEM', `cannot write into ${folder}: ${reasonOf(error)}`);
  }
}

/** The definitions that the loader would read in a folder, relative to it. */
function definitionsIn(target: string): string[] {
  if (!existsSync(target)) return [];
  if (!statSync(target).isDirectory()) {
    throw new CliError('ERR_NO_FOLDER', `${target} is a file, not a folder: name another folder`);
  }
  return (
    readdirSync(target, { recursive: true, withFileTypes: true })
      .filter((entry) => isDefinitionName(entry.name) && !entry.isDirectory())
      .map((entry) => path.relative(target, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
      .filter((name) => !name.split('/').some((part) => part.startsWith('.') || part === 'node_modules'))
      // Much JSON is of other programs.
      .filter((name) => !/\.json$/i.test(name) || looksLikeDefinition(path.join(target, name)))
      .sort()
  );
}

/** Replaces file by file; a failure undoes the earlier ones. */
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
