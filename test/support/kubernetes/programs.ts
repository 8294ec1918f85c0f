import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The programs that make a real API server: two, as envtest brings them, or one of our own with etcd inside. */
export type ApiserverPrograms = { etcd: string; apiserver: string } | { both: string };

const sources = path.resolve(import.meta.dirname, '../../../tools/kube-apiserver');
const sourceFiles = ['main.go', 'go.mod', 'go.sum'];
const goModule = 'k8s.io/component-base/version';

/** The oldest Go that builds the sources. */
const oldestGo = 24;

/** The programs of a real API server that are here now: in the folder that KUBEBUILDER_ASSETS names, or built before. */
export function findApiserver(): ApiserverPrograms | undefined {
  const program = builtProgram();
  return namedAssets() ?? (existsSync(program) ? { both: program } : undefined);
}

/**
 * Builds a kube-apiserver unless one is here. It takes some minutes the first time on a machine, so no test does it within
 * its time limit: `npm test` and `npm run cluster` do it first. Of several processes one builds and the others wait.
 *
 * @param say told what takes so long, and every 15 seconds how long it has taken
 * @throws when Go is missing, or the build fails, with what Go said
 */
export async function buildApiserver(say: Say, signal?: AbortSignal): Promise<ApiserverPrograms> {
  const found = findApiserver();
  if (found !== undefined) return found;
  const go = findGo();
  if (go === undefined) throw new Error(`a kube-apiserver needs KUBEBUILDER_ASSETS, or Go 1.${oldestGo} on the path`);
  const program = builtProgram();
  await buildOnce(program, 'kube-apiserver', say, async () => {
    const unfinished = `${program}.${process.pid}`;
    try {
      await runTool(
        go,
        ['build', '-trimpath', '-ldflags', await linkerFlags(), '-o', unfinished, '.'],
        { cwd: sources },
        signal,
      );
      await rename(unfinished, program);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
  return { both: program };
}

function namedAssets(): ApiserverPrograms | undefined {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '') return undefined;
  const programs = { etcd: path.join(folder, 'etcd'), apiserver: path.join(folder, 'kube-apiserver') };
  return existsSync(programs.etcd) && existsSync(programs.apiserver) ? programs : undefined;
}

/** Where the program is or will be; another one for other sources. */
function builtProgram(): string {
  const hash = createHash('sha256');
  for (const file of sourceFiles) hash.update(readFileSync(path.join(sources, file))).update('\0');
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  return path.join(cache, 'rolecall', 'kube-apiserver', hash.digest('hex').slice(0, 16), 'kube-apiserver');
}

let knownGo: string | false | undefined;

/** Go, where it is there and new enough. */
export function findGo(): string | undefined {
  knownGo ??= ['go', '/usr/local/go/bin/go'].find(isNewEnough) ?? false;
  return knownGo === false ? undefined : knownGo;
}

function isNewEnough(program: string): boolean {
  const { stdout } = spawnSync(program, ['version'], { encoding: 'utf8' });
  const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= oldestGo;
}

async function linkerFlags(): Promise<string> {
  const [, release = ''] =
    /k8s\.io\/kubernetes (v\S+)/.exec(await readFile(path.join(sources, 'go.mod'), 'utf8')) ?? [];
  const [major = '', minor = ''] = release.slice(1).split('.');
  const version = { gitVersion: release, gitMajor: major, gitMinor: minor };
  return ['-s', '-w', ...Object.entries(version).map(([name, value]) => `-X ${goModule}.${name}=${value}`)].join(' ');
}

/** Is told in a line what takes long. */
export type Say = (text: string) => void;

/** Runs a build unless its program is there, one process at a time, and says that it does and for how long it has. */
export async function buildOnce(program: string, name: string, say: Say, build: () => Promise<void>): Promise<void> {
  await mkdir(path.dirname(program), { recursive: true });
  const began = Date.now();
  say(`Building ${name}, once on this machine. It may take some minutes.`);
  const ticking = setInterval(() => {
    say(`Still building ${name}, for ${Math.round((Date.now() - began) / 1000)} s.`);
  }, 15_000);
  try {
    await alone(`${program}.lock`, async () => {
      if (!existsSync(program)) await build();
    });
  } finally {
    clearInterval(ticking);
  }
}

/**
 * Runs a tool that builds or installs, in a process group of its own, so that its compilers end with it when the signal aborts
 * or this process ends.
 *
 * @throws what it said
 */
export async function runTool(
  program: string,
  args: string[],
  options: SpawnOptions,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn('nice', ['-n', '10', program, ...args], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4000);
    });
  }
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', end);
  signal?.addEventListener('abort', end);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')} failed:\n${said}`);
  } finally {
    process.off('exit', end);
    signal?.removeEventListener('abort', end);
  }
}

/** Runs something in one process at a time, over all that use the same lock. A lock whose process is gone is no one's. */
export async function alone(lock: string, run: () => Promise<void>): Promise<void> {
  for (;;) {
    const file = await open(lock, 'wx').catch(async (error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (!(await isHeld(lock))) await rm(lock, { force: true });
      return undefined;
    });
    if (file !== undefined) {
      await file.writeFile(String(process.pid));
      await file.close();
      break;
    }
    await sleep(200);
  }
  try {
    await run();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isHeld(lock: string): Promise<boolean> {
  const text = await readFile(lock, 'utf8').catch(() => '');
  // Empty for the moment between its making and its writing.
  if (text === '') return true;
  try {
    return process.kill(Number(text), 0);
  } catch {
    return false;
  }
}
