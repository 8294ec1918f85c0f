import { addAbortListener, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type Dialect, type Found, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import type { Answer, Question } from './child.ts';
import { spawnChild } from './spawn-child.ts';

const busyTimeout = 2000;

/** The version is that of the SQLite in this service: a file has none. */
export const sqlite: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  const answer = await askChild({ file: uri.database, busyTimeout }, signal);
  if ('message' in answer) throw new Error(answer.message);
  return { version: serverVersion('SQLite', answer.version) };
}

/**
 * Puts a question to a child process, which is killed when the signal aborts.
 *
 * @throws the signal's reason, or an error that says how the child ended
 */
async function askChild(question: Question, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const { process: child, reason } = spawnChild('child');
  using _abort = addAbortListener(signal, () => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(question));
  const [answer] = await Promise.all([text(child.stdout), closed]);
  if (child.exitCode === 0) return JSON.parse(answer) as Answer;
  signal.throwIfAborted();
  throw reason();
}
