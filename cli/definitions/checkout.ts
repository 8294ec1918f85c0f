import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A folder that Git has checked out. */
export interface Checkout {
  /** Its path, with slashes, and without one at the end. */
  readonly folder: string;
  /** Repository that it was cloned from, as in `git.example.com/acme/access`: without a scheme, a user or a password. */
  readonly remote: string | undefined;
  /** The branch that is checked out; undefined where it is a commit. */
  readonly branch: string | undefined;
}

/** Finds the checkout that a file or folder is in. Reads Git's files, since pipelines may have no `git`, and Git refuses folders of other users. */
export function findCheckout(file: string): Checkout | undefined {
  for (let folder = file.endsWith('/') ? path.resolve(file) : path.dirname(file); ; folder = path.dirname(folder)) {
    const git = findGitFolder(path.join(folder, '.git'));
    if (git !== undefined) {
      return { folder: folder.split(path.sep).join('/'), remote: readRemote(git), branch: readBranch(git) };
    }
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** The folder of Git itself: a worktree or a submodule has a file that names it. */
function findGitFolder(git: string): string | undefined {
  const stats = statSync(git, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return existsSync(path.join(git, 'HEAD')) ? git : undefined;
  const named = stats?.isFile() === true ? /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] : undefined;
  return named === undefined ? undefined : path.resolve(path.dirname(git), named);
}

function readBranch(git: string): string | undefined {
  return /^ref: refs\/heads\/(.+)$/m.exec(readText(path.join(git, 'HEAD')))?.[1];
}

function readRemote(git: string): string | undefined {
  // A worktree shares the configuration of its repository.
  const common = readText(path.join(git, 'commondir')).trim();
  const config = readText(path.join(git, common, 'config'));
  const lines = config.split(/\r?\n/).map((line) => line.trim());
  const [, ...section] = lines.slice(Math.max(0, lines.indexOf('[remote "origin"]')));
  const end = section.findIndex((line) => line.startsWith('['));
  const url = section
    .slice(0, end < 0 ? undefined : end)
    .flatMap((line) => /^url\s*=\s*(.+)$/.exec(line)?.[1] ?? [])[0];
  return url === undefined ? undefined : withoutCredentials(url);
}

/** `https://bot:secret@git.example.com/acme/access.git` and `git@git.example.com:acme/access` are `git.example.com/acme/access`. */
function withoutCredentials(url: string): string {
  return url
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/]*@/, '')
    .replace(/^([^:/]+):(?!\d+\/)/, '$1/')
    .replace(/(?:\.git)?\/*$/, '');
}

function readText(file: string): string {
  try {
    // A pipe would never end.
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
