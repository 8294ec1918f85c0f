import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerChild } from './children/child.ts';
import { measureSnapshot } from './plans/snapshot-cost.ts';
import { median, type Report, round } from './report/report.ts';
import { type Run, runChild, runCommand } from './workspace/command.ts';
import { type Sizes, writeDefinitions } from './workspace/definitions.ts';
import { counted, type Environment, type RawCall, rawCalls, total, withService } from './workspace/workspace.ts';

const sizes: Sizes = {
  people: 20_000,
  roles: 2000,
  memberships: 50_000,
  permissions: 10_000,
  snippets: 0,
  dataSources: 10,
};
const rounds = 3;
/** Of a workspace whose people are in four roles each. The other one is a quarter of it, so that a cost that is not linear shows. */
const transitionPeople = 50_000;
const transitions = ['nothing', 'next role', 'next data source', 'both at once', 'all locked', 'all renamed'];
/** A snapshot. */
const fewestCalls = 1;

/** The commands that read a large organisation, against the YAML library alone on the same files. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    const definitions = join(folder, 'definitions');
    writeDefinitions(definitions, sizes);
    return await withService(join(folder, 'data'), (service, env) => measure(definitions, service, env));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The plans of large transitions, in memory: how their cost grows, and the memory of the largest. */
async function measureTransitions(): Promise<Record<string, number>> {
  const { cpuSeconds: start } = await runChild('plan-transition.ts', ['nothing', '0']);
  const growths: number[] = [];
  const runs: Run[] = [];
  for (const transition of transitions) {
    const quarter = await runChild('plan-transition.ts', [transition, String(transitionPeople / 4)]);
    const whole = await runChild('plan-transition.ts', [transition, String(transitionPeople)]);
    growths.push((whole.cpuSeconds - start) / (quarter.cpuSeconds - start) / 4);
    runs.push(whole);
  }
  return {
    transitionGrowthRatio: round(Math.max(...growths)),
    transitionSeconds: round(Math.max(...runs.map(({ seconds }) => seconds))),
    transitionPeakMiB: round(Math.max(...runs.map(({ peakMiB }) => peakMiB)), 1),
  };
}

async function measure(definitions: string, service: ServerChild, env: Environment): Promise<Report> {
  const first = await runCommand(['plan', definitions], env);
  const filled = await runCommand(['apply', '--yes', definitions], env);
  const snapshot = await measureSnapshot(service, env);
  const reads: RawCall[] = [{ method: 'GET', path: '/api/v2/snapshot' }];
  const parsed: Run[] = [];
  const validated: Run[] = [];
  const planned: Run[] = [];
  const serviceSeconds: number[] = [];
  let calls = 0;
  // In turns, so that other work on the machine affects all of them alike.
  for (let round = 0; round < rounds; round += 1) {
    parsed.push(await runChild('parse-yaml.ts', [definitions]));
    validated.push(await runCommand(['validate', definitions], {}));
    serviceSeconds.push(await rawCalls(env, 1, reads));
    const plan = await counted(service, () => runCommand(['plan', '--detailed-exitcode', definitions], env));
    planned.push(plan.run);
    calls = plan.calls;
  }
  const exported = await runCommand(['export', '--out', join(definitions, '..', 'exported'), '--leave-passwords'], env);
  const table = await runCommand(
    ['report', 'access', '--format', 'csv', '--out', join(definitions, '..', 'access.csv')],
    env,
  );
  const page = await runCommand(
    ['report', 'access', '--format', 'html', '--out', join(definitions, '..', 'access.html')],
    env,
  );
  const parse = middle(parsed);
  const validate = middle(validated);
  const plan = middle(planned);
  const reading = median(serviceSeconds);
  return {
    name: 'plans',
    figures: {
      objects: total(sizes),
      parseSeconds: round(parse.seconds),
      validateSeconds: round(validate.seconds),
      validateTimeRatio: round(validate.seconds / parse.seconds),
      planSeconds: round(plan.seconds),
      planServiceSeconds: round(reading),
      planTimeRatio: round((plan.seconds - reading) / parse.seconds),
      validateCpuRatio: round(validate.cpuSeconds / parse.cpuSeconds),
      planCpuRatio: round(plan.cpuSeconds / parse.cpuSeconds),
      planCallsRatio: round(calls / fewestCalls, 4),
      snapshotSeconds: round(snapshot.seconds),
      snapshotUnchangedSeconds: round(snapshot.unchangedSeconds, 4),
      snapshotMiB: round(snapshot.mebibytes, 1),
      snapshotMemoryMiB: round(snapshot.memoryMiB, 1),
      snapshotOtherP99Ratio: round(snapshot.otherP99Ratio),
      firstPlanSeconds: round(first.seconds),
      firstApplySeconds: round(filled.seconds),
      exportSeconds: round(exported.seconds),
      reportCsvSeconds: round(table.seconds),
      reportHtmlSeconds: round(page.seconds),
      validatePeakMiB: round(validate.peakMiB, 1),
      planPeakMiB: round(plan.peakMiB, 1),
      firstPlanPeakMiB: round(first.peakMiB, 1),
      firstApplyPeakMiB: round(filled.peakMiB, 1),
      exportPeakMiB: round(exported.peakMiB, 1),
      reportCsvPeakMiB: round(table.peakMiB, 1),
      reportHtmlPeakMiB: round(page.peakMiB, 1),
      ...(await measureTransitions()),
    },
    notes,
    bounds,
  };
}

const notes = {
  parseSeconds: 'the YAML library alone, to plain values; the middle of three runs, as all below',
  validateTimeRatio: 'validate ÷ parse',
  planServiceSeconds: 'the same read by undici alone',
  planTimeRatio: 'plan with nothing to do, less those reads ÷ parse',
  validateCpuRatio: 'the same in time that was computed',
  planCpuRatio: 'the same in time that was computed, the reads included',
  planCallsRatio: 'calls the service received ÷ the fewest possible',
  snapshotSeconds: 'the snapshot of it all, by undici alone, to its last byte',
  snapshotUnchangedSeconds: 'the same where nothing has changed: 304',
  snapshotMiB: 'its size',
  snapshotMemoryMiB: 'how much more memory the service has after one',
  snapshotOtherP99Ratio: '99th percentile of other requests while snapshots are read without a pause ÷ without any',
  firstPlanSeconds: 'plan that makes everything, once',
  firstApplySeconds: 'apply of that, once',
  exportSeconds: 'export of it all, once',
  reportCsvSeconds: 'report access as CSV, once',
  reportHtmlSeconds: 'report access as a page, once',
  planPeakMiB: 'resident memory at its most',
  transitionGrowthRatio:
    'CPU of the engine per person to plan that all of 50,000 people with 200,000 memberships move to the next role, are locked, or are made anew, or that all roles change ÷ the same with a quarter of them; the worst of all',
  transitionSeconds: 'the longest of these plans, in memory',
  transitionPeakMiB: 'resident memory of the largest',
};

const bounds: NonNullable<Report['bounds']> = {
  validateTimeRatio: ['under', 10],
  planTimeRatio: ['at most', 1.5],
  planCallsRatio: ['exactly', 1],
  snapshotSeconds: ['under', 1],
  snapshotMemoryMiB: ['under', 32],
  snapshotOtherP99Ratio: ['under', 2],
  validatePeakMiB: ['under', 1024],
  planPeakMiB: ['under', 1024],
  firstPlanPeakMiB: ['under', 1024],
  firstApplyPeakMiB: ['under', 1024],
  exportPeakMiB: ['under', 1024],
  reportCsvPeakMiB: ['under', 1024],
  reportHtmlPeakMiB: ['under', 1024],
  transitionGrowthRatio: ['at most', 1.3],
  transitionPeakMiB: ['under', 1024],
};

function middle(runs: readonly Run[]): Run {
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    cpuSeconds: median(runs.map(({ cpuSeconds }) => cpuSeconds)),
    peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
  };
}
