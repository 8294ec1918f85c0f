import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** What a program did. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs against a cluster, by a kubeconfig in a folder of their own. */
export interface ClusterTools extends AsyncDisposable {
  /** @param input what it reads from its standard input */
  readonly run: (program: string, args: readonly string[], input?: string) => Promise<Ended>;
  /** The same for kubectl. @throws what it said, where it failed */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<Ended>;
  /** A folder for files of the test. */
  readonly folder: string;
  readonly kubeconfig: string;
}

export async function clusterTools(kubeconfig: string): Promise<ClusterTools> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-kubectl-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  // Reads and writes nothing that belongs to the person who runs the tests.
  const env = { ...process.env, KUBECONFIG: file, HOME: folder, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder };
  const run = async (program: string, args: readonly string[], input = ''): Promise<Ended> => {
    const child = spawn(program, args, { env, stdio: 'pipe' });
    child.stdin.on('error', () => undefined).end(input);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  };
  return {
    folder,
    kubeconfig: file,
    run,
    kubectl: async (args, input) => {
      const ended = await run('kubectl', args, input);
      if (ended.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${ended.stderr}${ended.stdout}`);
      return ended;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
