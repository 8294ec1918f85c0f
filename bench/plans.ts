import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@rolecall/api';
import type { ServerChild } from './children/child.ts';
import { type Run, runChild, runCommand } from './command.ts';
import { type Sizes, writeDefinitions } from './definitions.ts';
import { median, type Report, round } from './report.ts';
import { counted, type Environment, type RawCall, rawCalls, total, withService } from './workspace.ts';

const sizes: Sizes = {
  people: 20_000,
  roles: 1000,
  memberships: 50_000,
  permissions: 10_000,
  snippets: 0,
  dataSources: 10,
};
const rounds = 3;
/** Four collections; the people of each role; each data source's details. */
const fewestCalls = 4 + sizes.roles + sizes.dataSources;

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

async function measure(definitions: string, service: ServerChild, env: Environment): Promise<Report> {
  const first = await runCommand(['plan', definitions], env);
  const filled = await runCommand(['apply', '--yes', definitions], env);
  const reads = await readsOf(env);
  const parsed: Run[] = [];
  const validated: Run[] = [];
  const planned: Run[] = [];
  const serviceSeconds: number[] = [];
  let calls = 0;
  // In turns, so that other work on the machine affects all of them alike.
  for (let round = 0; round < rounds; round += 1) {
    parsed.push(await runChild('parse-yaml.ts', [definitions]));
    validated.push(await runCommand(['validate', definitions], {}));
    serviceSeconds.push(await rawCalls(env, 16, reads));
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
    },
    notes: {
      parseSeconds: 'the YAML library alone, to plain values; the middle of three runs, as all below',
      validateTimeRatio: 'validate ÷ parse',
      planServiceSeconds: 'the same reads by undici alone, 16 side by side',
      planTimeRatio: 'plan with nothing to do, less those reads ÷ parse',
      validateCpuRatio: 'the same in time that was computed',
      planCpuRatio: 'the same in time that was computed, the reads included',
      planCallsRatio: 'calls the service received ÷ the fewest possible',
      firstPlanSeconds: 'plan that makes everything, once',
      firstApplySeconds: 'apply of that, once',
      exportSeconds: 'export of it all, once',
      reportCsvSeconds: 'report access as CSV, once',
      reportHtmlSeconds: 'report access as a page, once',
      planPeakMiB: 'resident memory at its most',
    },
    bounds: {
      validateTimeRatio: ['under', 10],
      planTimeRatio: ['under', 10],
      planCallsRatio: ['exactly', 1],
      validatePeakMiB: ['under', 1024],
      planPeakMiB: ['under', 1024],
      firstPlanPeakMiB: ['under', 1024],
      firstApplyPeakMiB: ['under', 1024],
      exportPeakMiB: ['under', 1024],
      reportCsvPeakMiB: ['under', 1024],
      reportHtmlPeakMiB: ['under', 1024],
    },
  };
}

/** The reads of a plan, as bare calls. */
async function readsOf(env: Environment): Promise<RawCall[]> {
  const client = createClient({
    url: env['ROLECALL_URL'] ?? '',
    keyId: env['ROLECALL_KEY_ID'] ?? '',
    keySecret: env['ROLECALL_KEY_SECRET'] ?? '',
  });
  const roles = await client.call('listRoles', {});
  const dataSources = await client.call('listDataSources', {});
  await client.close();
  const paths = [
    ...['person', 'role', 'data-source', 'permission', 'snippet'],
    ...roles.map(({ id }) => `role/${id}/person`),
    ...dataSources.map(({ id }) => `data-source/${id}/detail`),
  ];
  return paths.map((path) => ({ method: 'GET', path: `/api/v2/${path}` }));
}

function middle(runs: readonly Run[]): Run {
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    cpuSeconds: median(runs.map(({ cpuSeconds }) => cpuSeconds)),
    peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
  };
}
