import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { longestOrigin } from '@rolecall/api';
import type { Fit } from '@rolecall/reconcile';
import { z } from 'zod';
import { type Environment, variable } from '../process/io.ts';
import { findCheckout } from './checkout.ts';

/** Origin of a run's definitions. */
export interface Origin {
  /** The repository, as in `git.example.com/acme/access`; null outside Git. */
  readonly repository: string | null;
  /** The branch; null outside Git, and where neither Git nor the pipeline says which one it is. */
  readonly branch: string | null;
  /** Files, and folders with a slash at their end: within the repository or, outside Git, from the root of the machine. */
  readonly paths: readonly string[];
}

const originSchema = z.strictObject({
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  paths: z.array(z.string()),
});

/** The variables that name the branch: pipelines check out a commit, which may be of several. */
const branchVariables = ['CI_COMMIT_REF_NAME', 'GITHUB_REF_NAME'] as const;

/** Finds out where definitions come from. @param paths as a command was given them; `-` is standard input */
export function findOrigin(paths: readonly string[], env: Environment): Origin {
  const files = paths.map(realFile);
  const checkout = findCheckout(files[0] ?? '/');
  if (checkout === undefined || !files.every((file) => covers(`${checkout.folder}/`, file))) {
    return { repository: null, branch: null, paths: shortened(files) };
  }
  const ofPipeline = branchVariables.map((name) => variable(env, name)).find((name) => name !== undefined);
  return {
    repository: checkout.remote ?? checkout.folder,
    branch: variable(env, 'ROLECALL_BRANCH') ?? checkout.branch ?? ofPipeline ?? null,
    paths: shortened(files.map((file) => file.slice(checkout.folder.length + 1) || './')),
  };
}

/** The path of a file, or of a folder with a slash at its end, without links on the way; standard input is a file of the folder at hand. */
function realFile(file: string): string {
  if (file === '-') return `${slashed(realpathSync('.'))}/-`;
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  const real = slashed(existsSync(file) ? realpathSync(file) : path.resolve(file));
  return isFolder && !real.endsWith('/') ? `${real}/` : real;
}

const slashed = (file: string): string => file.split(path.sep).join('/');

/** Without what others of them cover, in order. */
function shortened(paths: readonly string[]): string[] {
  const all = [...new Set(paths)].sort();
  return all.filter((place) => !all.some((other) => other !== place && covers(other, place)));
}

const isFolder = (file: string): boolean => file.endsWith('/');

const covers = (place: string, other: string): boolean =>
  // Standard input is something else each time.
  (place === other && path.posix.basename(place) !== '-') ||
  place === './' ||
  (isFolder(place) && other.startsWith(place));

/**
 * Compares where definitions come from with where those of the runs before came from.
 *
 * @param set the name of the set
 * @param remembered as the service keeps it; undefined before the first run
 */
export function fitOrigin(origin: Origin, set: string, remembered: string | undefined): Fit {
  if (remembered === undefined) return { is: 'whole', origin: write(origin) };
  const former = read(remembered);
  if (former === undefined) return elsewhere(origin, set, 'a place that this version of rolecall does not understand');
  const isSameBranch = former.branch === null || origin.branch === null || former.branch === origin.branch;
  if (former.repository !== origin.repository || !isSameBranch) return elsewhere(origin, set, describe(former));
  // A commit without a branch may be of any: nothing goes by it that a branch declares.
  const isBranchKnown = former.branch === null || origin.branch !== null;
  const from = (paths: readonly string[]): { origin?: string } => {
    const text = write({ ...origin, branch: origin.branch ?? former.branch, paths });
    return text === remembered ? {} : { origin: text };
  };
  const isCovered = former.paths.every((file) => origin.paths.some((place) => covers(place, file)));
  if (isCovered && isBranchKnown) return { is: 'whole', ...from(origin.paths) };
  const isPart = origin.paths.some((file) => former.paths.some((other) => isBeside(file, other)));
  const other = elsewhere(origin, set, describe(former));
  if (!isPart) return other;
  const { origin: whole, refusal } = other;
  return { is: 'part', ...from(shortened([...former.paths, ...origin.paths])), whole, refusal };
}

/** As the service keeps it. Of very many files it keeps the folders: no run of files has all of those. */
function write({ repository, branch, paths }: Origin): string {
  const folders = paths.map((file) => (isFolder(file) ? file : `${path.posix.dirname(file)}/`));
  const all = repository === null ? '/' : './';
  const texts = [paths, shortened(folders), [all]].map((some) => JSON.stringify({ repository, branch, paths: some }));
  return texts.find((text) => text.length <= longestOrigin) ?? '';
}

function read(text: string): Origin | undefined {
  try {
    return originSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** True if one of two paths covers the other, or they are files of one folder: then they may be parts of one set. */
function isBeside(place: string, other: string): boolean {
  const areNeighbours = !isFolder(place) && !isFolder(other) && path.posix.dirname(place) === path.posix.dirname(other);
  return areNeighbours || covers(place, other) || covers(other, place);
}

function elsewhere(origin: Origin, set: string, former: string): Extract<Fit, { is: 'elsewhere' }> {
  return {
    is: 'elsewhere',
    origin: write(origin),
    refusal: {
      rail: 'other-origin',
      objects: [],
      message: `the definitions of the set ${set} came from ${former} so far, and these come from ${describe(origin)}: what only the others declare would be removed`,
      remedy: `if these are another set, give it a name of its own in spec.set of the Workspace; if the set has moved, override this once`,
      override: `other-origin:${set}`,
    },
  };
}

function describe({ repository, branch, paths }: Origin): string {
  const files = paths.join(', ');
  if (repository === null) return files;
  return `${files === './' ? '' : `${files} of `}${repository}${branch === null ? '' : ` (branch ${branch})`}`;
}
