import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Machine, Report } from './report.ts';
import type { Result } from './results.ts';

export interface Failure {
  name: string;
  reason: string;
}

/**
 * Runs benchmarks one after the other. If one fails, the others still run; it is named at the end and keeps its earlier
 * results.
 *
 * @param measure runs one
 * @param save keeps a result at once, so that an interrupt loses only the one under way
 */
export async function runAll(
  names: readonly string[],
  measure: (name: string) => Promise<Result>,
  save: (result: Result) => void,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const name of names) {
    try {
      save(await measure(name));
    } catch (error) {
      failures.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return failures;
}

/**
 * Runs a benchmark in its own process, so that one cannot affect the next by what it leaves in memory or breaks.
 *
 * @throws when the process fails or prints no report
 */
export async function measureApart(name: string): Promise<Report & { machine: Machine }> {
  const main = path.join(import.meta.dirname, '..', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=source', main, name, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code ?? 'unknown'}`}`);
  const line = printed
    .trimEnd()
    .split('\n')
    .findLast((each) => each.startsWith('{'));
  if (line === undefined) throw new Error('it printed no report');
  return JSON.parse(line) as Report & { machine: Machine };
}
