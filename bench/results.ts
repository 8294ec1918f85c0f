import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine, Report } from './report.ts';

/** A report as it is kept: where, when and of which state of the sources it was measured. */
export interface Result extends Report {
  machine: Machine;
  /** RFC 3339, in UTC. */
  measuredAt: string;
  /** The commit, with `+` behind it where files had been changed. */
  commit: string;
}

/** One file a benchmark, so that one is measured anew without the others. */
export const resultsFolder = path.join(import.meta.dirname, 'results');

/** @returns the kept results, by name */
export function readResults(folder = resultsFolder): Result[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Result);
}

export function saveResult(result: Result, folder = resultsFolder): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** @returns the commit that is measured */
export function describeCommit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  // What a benchmark that ran just before has kept is no change of what is measured.
  const changes = git('status', '--porcelain', '--', ':!bench/results', ':!docs/benchmarks.md');
  return git('rev-parse', '--short=12', 'HEAD') + (changes === '' ? '' : '+');
}
