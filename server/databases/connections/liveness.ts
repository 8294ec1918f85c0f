import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultWriter } from '../rows/result-writer.ts';
import type { Session } from '../session.ts';

/** When a silent database is taken for one that hangs. */
export interface Liveness {
  /** How long it may be silent before it is asked whether it is there, in milliseconds. */
  silenceMs: number;
  /** How long it may take to answer that. */
  answerMs: number;
}

/** Two unanswered questions end a query, after some 40 seconds: one may be lost when a server is restarted or very busy. */
export const defaultLiveness: Liveness = { silenceMs: 15_000, answerMs: 5000 };
const unanswered = 2;

/** The database hangs: its operating system may still hold the connection, but nobody answers. */
export class SilenceError extends Error {
  override name = 'SilenceError';
  readonly code = 'ERR_SILENCE';
}

/**
 * Watches a session at work. A command that takes long is silent too, so the server is asked on a connection of its own
 * whether it answers anybody at all.
 *
 * @param signal ends the watch
 * @returns settles with the reason once the server is given up, and never otherwise
 */
export async function untilSilent(
  { heard, probe }: Session,
  writer: ResultWriter,
  { silenceMs, answerMs }: Liveness,
  signal: AbortSignal,
): Promise<SilenceError> {
  let [last, failures, since] = [heard?.(), 0, performance.now()];
  while (probe !== undefined && failures < unanswered) {
    await sleep(silenceMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    // One that has to wait for a slow reader is silent through no fault of its own.
    const spoke = heard?.() !== last || writer.isPaused;
    const answers = spoke || (await isAnswered(probe, answerMs, signal)) || heard?.() !== last;
    if (answers) [last, failures, since] = [heard?.(), 0, performance.now()];
    else failures += 1;
  }
  if (failures < unanswered) return new Promise(() => undefined);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  return new SilenceError(
    `the server hangs: no answer for ${seconds} s, neither to the command nor to a new connection`,
  );
}

async function isAnswered(
  probe: NonNullable<Session['probe']>,
  answerMs: number,
  ended: AbortSignal,
): Promise<boolean> {
  try {
    await probe(AbortSignal.any([AbortSignal.timeout(answerMs), ended]));
    return true;
  } catch {
    return ended.aborted;
  }
}
