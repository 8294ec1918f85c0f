import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

export interface Run {
  seconds: number;
  /** Processor time on all cores: other work on the machine stretches it less. */
  cpuSeconds: number;
  peakMiB: number;
}

const root = join(import.meta.dirname, '..', '..');
/** What `npm run rolecall` runs, without npm's own time and memory. */
const [, ...script] = packageJson.scripts.rolecall.split(' ');
const reporter = join(import.meta.dirname, '..', 'children', 'report-usage.ts');

/**
 * Runs a command of `rolecall` in a process of its own.
 *
 * @throws Error with its output if it does not exit with the expected code
 */
export function runCommand(args: readonly string[], env: Record<string, string>, expected = 0): Promise<Run> {
  return runScript([...script, ...args], env, expected);
}

/** Runs a file of `bench/children/` in the same way, with the flags of this process. */
export function runChild(file: string, args: readonly string[]): Promise<Run> {
  return runScript([...process.execArgv, join(import.meta.dirname, '..', 'children', file), ...args], {}, 0);
}

async function runScript(args: readonly string[], env: Record<string, string>, expected: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-run-'));
  const usageFile = join(folder, 'usage');
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', reporter, ...args], {
    cwd: root,
    env: { ...process.env, ...env, ROLECALL_BENCH_USAGE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      // Enough to explain a failure, without keeping the output of a large run.
      printed = `${printed}${text}`.slice(-4000);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - started) / 1000;
  if (code !== expected) throw new Error(`${args.join(' ')} exited with ${code ?? 'a signal'}:\n${printed}`);
  const usage = JSON.parse(readFileSync(usageFile, 'utf8')) as { peak: number; cpuSeconds: number };
  rmSync(folder, { recursive: true });
  return { seconds, cpuSeconds: usage.cpuSeconds, peakMiB: usage.peak / 2 ** 20 };
}
