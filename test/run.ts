/**
 * `npm test`: runs every test that this machine can run, then says what it could not, what to install for it, and which
 * tests were slowest. `npm test -- test/crds` runs a folder or a file; `--all` adds the files named *.slow.test.ts.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { describeRun, type RunRecord, recordRun, succeeded } from './support/run-record.ts';
import { brief, countSuites } from './support/run-reporter.ts';
import { findTestFiles } from './support/test-files.ts';

const oldestNode = 24;
const fileTimeout = 10 * 60_000;

// Each test file is a process of its own; without a cache, each would strip the types of the same files again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile');

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const running = Number(process.versions.node.split('.')[0]);
  if (running < oldestNode) {
    return refuse(
      `the tests need Node ${oldestNode} or newer and this is ${process.version}; ` +
        'start them with "npm test", which runs the Node that "npm ci" installed',
    );
  }
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean', default: false }, verbose: { type: 'boolean', default: false } },
  });
  const files = await findTestFiles(positionals, values.all);
  if (typeof files === 'string') return refuse(files);
  const record = await runFiles(files, values.verbose);
  const requireAll = process.env['ROLECALL_REQUIRE'] === 'all';
  process.stdout.write(describeRun(record, requireAll));
  return succeeded(record, requireAll) ? 0 : 1;
}

/** Runs the files in the order given. An interrupt ends the test processes first, so that none outlives this one. */
async function runFiles(files: string[], verbose: boolean): Promise<RunRecord> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      interrupted.abort(new Error(`interrupted by ${signal}`));
    });
  }
  const events = run({
    files,
    concurrency: Math.max(2, availableParallelism()),
    timeout: fileTimeout,
    signal: interrupted.signal,
    execArgv: ['--conditions=source'],
  });
  const record = recordRun(events);
  const reported = verbose ? countSuites(events) : brief(countSuites(events));
  await pipeline(reported, new spec(), process.stdout, { end: false });
  return record;
}

function refuse(reason: string): number {
  process.stderr.write(`npm test: ${reason}\n`);
  return 1;
}
