import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Answer, Question } from './child.ts';

/** Beside this file, with its ending: TypeScript from the sources, JavaScript from dist. */
const script = fileURLToPath(new URL(`./child${path.extname(import.meta.url)}`, import.meta.url));

/**
 * Puts a question to a child process, which is killed when the signal aborts.
 *
 * @throws the signal's reason, or an error that says how the child ended
 */
export async function askChild(question: Question, signal: AbortSignal): Promise<Answer> {
  // A signal that has aborted says so to nobody who begins to listen now.
  signal.throwIfAborted();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    // The service's environment holds its secrets, and NODE_OPTIONS for itself. Windows needs SystemRoot.
    env: { SystemRoot: process.env['SystemRoot'] },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    const closed = once(child, 'close');
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(question));
    const [answer] = await Promise.all([text(child.stdout), closed]);
    if (child.exitCode === 0) return JSON.parse(answer) as Answer;
    signal.throwIfAborted();
    throw new Error(
      `the process that reads SQLite files ended with ${child.signalCode ?? child.exitCode ?? 'nothing'}`,
    );
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
