import path from 'node:path';
import type { run } from 'node:test';
import type { StartedFiles } from './run-reporter.ts';

export interface RunRecord {
  failed: boolean;
  /** Tests that ran, pass or fail; neither suites nor what was skipped. */
  ran: number;
  skipped: { name: string; file: string; reason: string }[];
  /** Files that hold no test, which is a mistake and not a success. */
  empty: string[];
  /** Durations in milliseconds. */
  timed: { name: string; file: string; duration: number }[];
}

export function emptyRecord(): RunRecord {
  return { failed: false, ran: 0, skipped: [], empty: [], timed: [] };
}

/**
 * Fills a record from the events of a run, as they come.
 *
 * @param started the files that are started, each with the test files that it runs
 * @param variant under what circumstances the files ran, where they run more than once
 */
export function recordRun(
  events: ReturnType<typeof run>,
  record: RunRecord,
  started: StartedFiles,
  variant?: string,
): void {
  const withTests = new Set<string>();
  const note = ({ name, file, skip, todo, details }: Ended): void => {
    const place = placeOf(file ?? '', variant);
    if (name !== file && file !== undefined) withTests.add(file);
    if (skip !== undefined || todo !== undefined) {
      const reason = [skip, todo].find((text) => typeof text === 'string' && text !== '');
      record.skipped.push({ name, file: place, reason: String(reason ?? 'no reason given') });
    } else if (name === file) {
      record.empty.push(place);
    } else if (details.type !== 'suite') {
      record.ran += 1;
      record.timed.push({ name, file: place, duration: details.duration_ms });
    }
  };
  events.on('test:pass', note);
  events.on('test:fail', (data) => {
    record.failed = true;
    // A file that fails as a whole is reported under its own name.
    if (data.name !== data.file) note(data);
  });
  events.on('test:summary', ({ success, file }) => {
    if (!success) record.failed = true;
    // The last summary is that of all files. Where something failed, a file may have no tests because it did not run.
    else if (file === undefined) {
      const shared = [...started.values()].filter(({ length }) => length > 1).flat();
      const empty = shared.filter((each) => !withTests.has(each));
      record.empty.push(...empty.map((each) => placeOf(each, variant)));
    }
  });
}

function placeOf(file: string, variant: string | undefined): string {
  return `${path.relative(process.cwd(), file)}${variant === undefined ? '' : ` (${variant})`}`;
}

interface Ended {
  name: string;
  file?: string | undefined;
  skip?: string | boolean | undefined;
  todo?: string | boolean | undefined;
  details: { type?: string | undefined; duration_ms: number };
}

/** Whether the run counts as a success: something ran, nothing failed, and where all is required nothing was skipped. */
export function succeeded({ failed, ran, skipped, empty }: RunRecord, requireAll: boolean): boolean {
  return !failed && ran > 0 && empty.length === 0 && (!requireAll || skipped.length === 0);
}

/**
 * The closing report: the slowest tests, and what was skipped and why.
 *
 * @param requireAll names each skipped test too, since each is a failure then
 */
export function describeRun({ ran, skipped, empty, timed }: RunRecord, requireAll: boolean): string {
  const slowest = [...timed].sort((a, b) => b.duration - a.duration).slice(0, 10);
  const lines = ['', 'Slowest tests:'];
  for (const { name, file, duration } of slowest) {
    lines.push(`  ${(duration / 1000).toFixed(2).padStart(7)} s  ${file}: ${name}`);
  }
  lines.push('', ...describeSkipped(skipped, requireAll));
  for (const file of empty) lines.push(`FAILED: no test in ${file}.`);
  if (ran === 0) lines.push('FAILED: no test ran.');
  if (requireAll && skipped.length > 0) lines.push('FAILED: ROLECALL_REQUIRE=all is set, so no test may be skipped.');
  return `${lines.join('\n')}\n`;
}

function describeSkipped(skipped: RunRecord['skipped'], withNames: boolean): string[] {
  if (skipped.length === 0) return ['Skipped: nothing.'];
  const lines = ['Skipped:'];
  const byReason = Map.groupBy(skipped, ({ reason }) =>
    withNames ? reason : packageOf(reason) === undefined ? reason : packages,
  );
  for (const [reason, tests] of byReason) {
    const files = new Set(tests.map(({ file }) => file));
    const names = [...new Set(tests.flatMap((each) => packageOf(each.reason) ?? []))];
    const remedy = reason === packages ? `apt-get install ${names.toSorted().join(' ')}` : reason;
    lines.push(`  ${remedy} (${tests.length} in ${[...files].slice(0, 2).join(', ')}${files.size > 2 ? ', …' : ''})`);
    if (withNames) for (const { name, file } of tests) lines.push(`    - ${file}: ${name}`);
  }
  return lines;
}

/** What Debian's packages remedy is one line for all of them. */
const packages = 'packages';

function packageOf(reason: string): string | undefined {
  return /: apt-get install ([\w. -]+)$/.exec(reason)?.[1];
}
