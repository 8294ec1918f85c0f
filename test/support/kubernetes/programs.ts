import { spawn, spawnSync } from 'node:child_process';
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

/**
 * Whether a real API server can be had here, without building it: KUBEBUILDER_ASSETS names a folder with one, it was
 * built before, or Go is there to build it.
 */
export function findApiserver(): true | undefined {
  return namedAssets() !== undefined || existsSync(builtProgram()) || findGo() !== undefined || undefined;
}

/**
 * Gives the programs of a real API server, and builds them where that must be: some minutes the first time on a
 * machine, for whichever process is first; the others wait for it.
 *
 * @param say told what takes so long
 * @throws when there is no way to have one, or the build fails, with what Go said
 */
export async function apiserverPrograms(say: (text: string) => void = () => undefined): Promise<ApiserverPrograms> {
  const named = namedAssets();
  if (named !== undefined) return named;
  const program = builtProgram();
  if (existsSync(program)) return { both: program };
  const go = findGo();
  if (go === undefined) throw new Error(`a kube-apiserver needs KUBEBUILDER_ASSETS, or Go 1.${oldestGo} on the path`);
  await mkdir(path.dirname(program), { recursive: true });
  await alone(`${program}.lock`, async () => {
    if (existsSync(program)) return;
    say('Building a kube-apiserver, once: some minutes.');
    await build(go, program);
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

async function build(go: string, program: string): Promise<void> {
  const unfinished = `${program}.${process.pid}`;
  const [, release = ''] =
    /k8s\.io\/kubernetes (v\S+)/.exec(await readFile(path.join(sources, 'go.mod'), 'utf8')) ?? [];
  const [major = '', minor = ''] = release.slice(1).split('.');
  const version = { gitVersion: release, gitMajor: major, gitMinor: minor };
  const flags = [
    '-s',
    '-w',
    ...Object.entries(version).flatMap(([name, value]) => ['-X', `${goModule}.${name}=${value}`]),
  ];
  const args = ['build', '-trimpath', '-ldflags', flags.join(' '), '-o', unfinished, '.'];
  const child = spawn(go, args, { cwd: sources, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4000);
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`cannot build the kube-apiserver of tools/kube-apiserver:\n${said}`);
    await rename(unfinished, program);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Runs something in one process at a time, over all that use the same lock. A lock whose process is gone is nobody's. */
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
