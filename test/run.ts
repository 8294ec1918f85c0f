/**
 * `npm test`: runs every test that this machine can run, then says what it could not, what to install for it, and which
 * tests were slowest. `npm test -- test/crds` runs a folder or a file; `--long` runs what takes minutes
 * instead (*.long.test.ts, and the service's tests over PostgreSQL), `--all` everything (*.slow.test.ts too, for hours).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { browserOptions } from './support/browser.ts';
import { missingParts, requires } from './support/databases/parts.ts';
import { startPostgres } from './support/databases/postgres.ts';
import { installDrivers, missingTool } from './support/drivers/drivers.ts';
import { buildHelm } from './support/kubernetes/helm.ts';
import { buildApiserver, findGo } from './support/kubernetes/programs.ts';
import { describeRun, emptyRecord, type RunRecord, recordRun, succeeded } from './support/run-record.ts';
import { brief, countSuites } from './support/run-reporter.ts';
import { shareProcesses } from './support/shared-processes.ts';
import { filesOverBothStores, filesThatRequire, findTestFiles, type Suite } from './support/test-files.ts';

const oldestNode = 24;
/** Three more than there are cores: some of what is tested waits, for a server that starts or for a timer. */
const filesAtOnce = Math.max(2, availableParallelism()) + 3;
const root = join(import.meta.dirname, '..');
const memoryFolder = '/dev/shm';
const fileTimeout = 10 * 60_000;
/** Files named *.slow.test.ts may take this long, and so may all that run with one. */
const slowTimeout = 3 * 60 * 60_000;

// Without a cache, each process would strip the types of the same files again.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compile');

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    interrupted.abort(new Error(`interrupted by ${signal}`));
  });
}

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
    options: {
      all: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const named = positionals.length > 0 ? 'quick and long' : 'quick';
  const suite = values.all ? 'all' : values.long ? 'long' : named;
  const files = await findTestFiles(positionals, suite);
  if (typeof files === 'string') return refuse(files);
  if (suite === 'quick' && hasRoomInMemory()) process.env['TMPDIR'] ??= memoryFolder;
  const unbuilt = await buildPrograms(files).catch((error: unknown) =>
    String(error instanceof Error ? error.message : error),
  );
  if (unbuilt !== undefined) return refuse(unbuilt);
  const again = await overPostgres(suite, files, positionals);
  const record = await runFiles(files, values.verbose);
  await runOverPostgres(again, values.verbose, record);
  const requireAll = process.env['ROLECALL_REQUIRE'] === 'all';
  process.stdout.write(describeRun(record, requireAll));
  if (suite === 'quick') process.stdout.write(describeLongTests());
  return succeeded(record, requireAll) ? 0 : 1;
}

/** Whether temporary folders may lie in memory: the store waits for the disk at every commit. Some tests start programs from there. */
function hasRoomInMemory(): boolean {
  if (!existsSync(memoryFolder)) return false;
  const { bavail, bsize } = statfsSync(memoryFolder);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === memoryFolder);
  return bavail * bsize > 4 * 1024 ** 3 && mount?.includes('noexec') === false;
}

/** Builds what the files need, before any test's time limit begins. Where Go is missing, what needs it is skipped and says so. */
async function buildPrograms(files: readonly string[]): Promise<undefined> {
  if (files.some((file) => file.includes(`${sep}test${sep}web${sep}`))) {
    execFileSync(process.execPath, ['--conditions=source', 'tools/build-web.ts'], { cwd: root, stdio: 'inherit' });
    process.env['ROLECALL_TEST_PAGE'] = 'built';
  }
  if (findGo() === undefined) return;
  const say = (text: string): void => {
    process.stdout.write(`${text}\n`);
  };
  const { signal } = interrupted;
  if ((await filesThatRequire('kubernetes', files)).length > 0) await buildApiserver(say, signal);
  if ((await filesThatRequire('helm', files)).length > 0) await buildHelm(say, signal);
  const needDrivers = (await filesThatRequire('drivers', files)).length > 0;
  if (needDrivers && missingTool() === undefined) await installDrivers(say, signal);
}

/** Runs the files in the order given. An interrupt ends the test processes first, so that none outlives this one. */
async function runFiles(
  files: string[],
  verbose: boolean,
  record: RunRecord = emptyRecord(),
  variant?: { name: string; env: NodeJS.ProcessEnv },
): Promise<RunRecord> {
  const started = variant === undefined ? await shareProcesses(files) : new Map(files.map((file) => [file, [file]]));
  const events = run({
    files: [...started.keys()],
    concurrency: filesAtOnce,
    timeout: files.some((file) => file.endsWith('.slow.test.ts')) ? slowTimeout : fileTimeout,
    signal: interrupted.signal,
    execArgv: ['--conditions=source'],
    ...(variant === undefined ? {} : { env: variant.env }),
  });
  recordRun(events, record, started, variant?.name);
  const reported = verbose ? countSuites(events) : brief(countSuites(events), started, interrupted.signal);
  await pipeline(reported, new spec(), process.stdout, { end: false });
  return record;
}

/** What runs a second time. The quick run leaves that to the long one. */
async function overPostgres(suite: Suite, files: string[], named: readonly string[]): Promise<string[]> {
  if (suite === 'quick') return [];
  const all = suite === 'long' ? await findTestFiles(named, 'quick and long') : files;
  return typeof all === 'string' ? [] : filesOverBothStores(all);
}

/** The service keeps its promises over either store: its tests run a second time, over PostgreSQL. */
async function runOverPostgres(files: string[], verbose: boolean, record: RunRecord): Promise<void> {
  if (files.length === 0 || interrupted.signal.aborted) return;
  const { skip } = requires('postgresql');
  if (skip !== false) {
    record.skipped.push({ name: 'the tests of the service over PostgreSQL', file: 'test/server', reason: skip });
    return;
  }
  process.stdout.write('\nThe tests of the service once more, over a store in PostgreSQL:\n');
  const server = await startPostgres({ max_connections: '300' });
  try {
    const env = { ...process.env, ROLECALL_TEST_STORE: 'postgresql', ROLECALL_TEST_POSTGRES: server.uri };
    await runFiles(files, verbose, record, { name: 'over PostgreSQL', env });
  } finally {
    await server.stop();
  }
}

/** What a quick run leaves out, and what this machine lacks for it. */
function describeLongTests(): string {
  const missing = [...missingParts(), ...(browserOptions.skip === false ? [] : ['chromium'])];
  const lines = [
    'Not run: the long tests, which take some twenty minutes (npm test -- --long).',
    '  They kill servers, keep the store in PostgreSQL, and use terraform, a Kubernetes API server and a browser.',
  ];
  if (missing.length > 0)
    lines.push(`  This machine lacks ${missing.join(', ')}: docs/testing.md says where to get them.`);
  return `${lines.join('\n')}\n`;
}

function refuse(reason: string): number {
  process.stderr.write(`npm test: ${reason}\n`);
  return 1;
}
