import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

export interface TerraformRun {
  seconds: number;
  /** The most memory of a provider that terraform started, in MiB: all of it, and the part that is not backed by a file. */
  peakMiB: number;
  ownMiB: number;
}

/**
 * Runs a command of terraform's and watches the providers that it starts.
 *
 * @throws Error with its output if it does not end with the expected code
 */
export async function runTerraform(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
  expected = 0,
): Promise<TerraformRun> {
  const started = performance.now();
  const child = spawn('terraform', [...args, '-no-color'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = `${printed}${text}`.slice(-4000);
    });
  }
  const peaks = { all: 0, own: 0 };
  const timer = setInterval(() => {
    for (const pid of childrenOf(child.pid)) {
      const { all, own } = memoryOf(pid);
      peaks.all = Math.max(peaks.all, all);
      peaks.own = Math.max(peaks.own, own);
    }
  }, 50);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  if (code !== expected) throw new Error(`terraform ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${printed}`);
  return { seconds, peakMiB: peaks.all / 1024, ownMiB: peaks.own / 1024 };
}

function childrenOf(pid: number | undefined): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
  } catch {
    return [];
  }
}

/** In KiB; nothing where the process is gone, or the system tells nothing. */
export function memoryOf(pid: string | number): { all: number; own: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return { all: read('VmHWM'), own: read('RssAnon') };
  } catch {
    return { all: 0, own: 0 };
  }
}
