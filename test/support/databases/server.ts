import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KeeperJob } from './keeper.ts';

/** A database server that runs for a test file. */
export interface DatabaseServer {
  uri: string;
  host: string;
  port: number;
  user: string;
  password: string;
  /** Stops the server and removes all it wrote; the end of the test process does the same. */
  stop: () => Promise<void>;
}

export type OtherUser = KeeperJob['user'];

const startTimeout = 60_000;

/** Database servers refuse to run as root: who they run as instead; no one else when this process is not root. */
export async function otherUser(): Promise<OtherUser> {
  if (process.getuid?.() !== 0) return {};
  const passwd = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

/** A new folder under the system's temporary folder, owned by the user that the server runs as. */
export async function serverFolder(name: string, user: OtherUser): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `rolecall-${name}-`));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

export function makePassword(): string {
  return randomBytes(12).toString('hex');
}

/**
 * Starts a server under a keeper (keeper.ts) and waits until it answers.
 *
 * @param job what to run
 * @param answers whether the server lets a client in by now
 * @returns what stops it
 * @throws when it ends before it answers, with the end of its log
 */
export async function startServer(job: KeeperJob, answers: () => Promise<boolean>): Promise<() => Promise<void>> {
  const script = fileURLToPath(import.meta.resolve('./keeper.ts'));
  const keeper = spawn(process.execPath, [script], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(keeper, 'close');
  keeper.stdin.on('error', () => undefined);
  keeper.stdin.write(`${JSON.stringify(job)}\n`);
  let failure: string | undefined;
  createInterface({ input: keeper.stdout }).on('line', (line) => {
    const text = JSON.parse(line) as string;
    if (text.startsWith('exited')) failure = text;
  });
  const stop = async (): Promise<void> => {
    ref(keeper, true);
    keeper.stdin.end();
    await closed;
  };
  const until = Date.now() + startTimeout;
  while (failure === undefined && Date.now() < until) {
    if (await answers().catch(() => false)) {
      // A test that forgets to stop it ends all the same, and takes the server along.
      ref(keeper, false);
      return stop;
    }
    await sleep(25);
  }
  await stop();
  throw new Error(`${job.server.program} did not start: ${failure ?? `no answer within ${startTimeout / 1000} s`}`);
}

function ref(keeper: ChildProcess, on: boolean): void {
  const handles = [keeper, keeper.stdin, keeper.stdout] as { ref?: () => void; unref?: () => void }[];
  for (const handle of handles) (on ? handle.ref : handle.unref)?.call(handle);
}
