import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine, Report } from './report.ts';

/** A saved report: where, when and from which sources it was measured. */
export interface Result extends Report {
  machine: Machine;
  /** RFC 3339, in UTC. */
  measuredAt: string;
  /** The commit, followed by `+` if files had changed. */
  commit: string;
}

/** One file for each benchmark, so that each can be measured again without the others. */
export const resultsFolder = path.join(import.meta.dirname, '..', 'results');

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
  // Results that an earlier benchmark of this run saved do not change the sources.
  const changes = git('status', '--porcelain', '--', ':!bench/results', ':!docs/benchmarks.md');
  return git('rev-parse', '--short=12', 'HEAD') + (changes === '' ? '' : '+');
}
