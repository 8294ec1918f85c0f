/**
 * `npm run bench -- NAME`: measures, and prints the figures; as JSON with `--json`. `--save` writes them to `bench/results` and
 * updates docs/benchmarks.md; `--all` does so for every benchmark, each in its own process.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles } from './report/benchmarks-page.ts';
import { describeMachine, type Report, renderReport } from './report/report.ts';
import { describeCommit, type Result, saveResult } from './report/results.ts';
import { type Failure, measureApart, runAll } from './report/run-all.ts';

/** The benchmarks, by name; each loads only when it runs. */
const benchmarks: Record<string, () => Promise<{ run: () => Promise<Report> }>> = {
  server: () => import('./server.ts'),
  apply: () => import('./apply.ts'),
  plans: () => import('./plans.ts'),
  queries: () => import('./queries.ts'),
  load: () => import('./load.ts'),
  store: () => import('./store.ts'),
  terraform: () => import('./terraform.ts'),
  cdktf: () => import('./cdktf.ts'),
  operator: () => import('./operator.ts'),
  gate: () => import('./gate.ts'),
  gateway: () => import('./gateway.ts'),
  page: () => import('./page.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const names = values.all ? Object.keys(benchmarks) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
if (names.length === 0 || unknown.length > 0) {
  fail(`npm run bench -- NAME... [--json] [--save], or --all; the names are ${Object.keys(benchmarks).join(', ')}`);
}
if (values.all || values.save) await measureAndSave();
else await measureHere();

async function measureHere(): Promise<void> {
  const machine = describeMachine();
  for (const name of names) {
    const benchmark = await benchmarks[name]?.();
    if (benchmark === undefined) continue;
    const report = await benchmark.run();
    process.stdout.write(values.json ? `${JSON.stringify({ ...report, machine })}\n` : renderReport(report, machine));
  }
}

async function measureAndSave(): Promise<void> {
  const short = Object.keys(process.env).filter((name) => name.startsWith('ROLECALL_BENCH_'));
  if (short.length > 0) fail(`figures of short runs say nothing, so none are kept: unset ${short.join(', ')}`);
  const failures = await runAll(names, measure, (result) => {
    saveResult(result);
    process.stdout.write(renderReport(result, result.machine));
  });
  for (const [name, text] of generatedFiles()) writeFileSync(path.join(import.meta.dirname, '..', name), text);
  if (failures.length > 0) fail(describeFailures(failures));
}

async function measure(name: string): Promise<Result> {
  process.stderr.write(`${name}\n`);
  const commit = describeCommit();
  const report = await measureApart(name);
  return { ...report, measuredAt: new Date().toISOString(), commit };
}

function describeFailures(failures: readonly Failure[]): string {
  const lines = failures.map(({ name, reason }) => `  ${name}: ${reason}\n    again: npm run bench -- ${name} --save`);
  return `not measured, so that what was kept before stays:\n${lines.join('\n')}`;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
