import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultWriter } from '../rows/result-writer.ts';
import type { Session } from '../session.ts';

/** Times after which a silent database counts as hanging. */
export interface Liveness {
  /** Time that it may be silent before it is probed, in milliseconds. */
  silenceMs: number;
  /** Time that it may take to answer a probe, in milliseconds. */
  answerMs: number;
}

/** Two unanswered probes end a query, after some 40 seconds: one may be lost while a server restarts or is very busy. */
export const defaultLiveness: Liveness = { silenceMs: 15_000, answerMs: 5000 };
const unanswered = 2;

/** The database hangs: its operating system may still hold the connection, but the server does not answer. */
export class SilenceError extends Error {
  override name = 'SilenceError';
  readonly code = 'ERR_SILENCE';
}

/**
 * Watches a working session. A slow command is silent as well, so this probes the server on another connection.
 *
 * @param signal ends the watch
 * @returns settles once the server counts as hanging, and never otherwise
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
    // A server that waits for a slow reader is silent through no fault of its own.
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
    // The end of the query does not cut it short: MySQL counts what gives up while it connects against this host.
    await probe(AbortSignal.timeout(answerMs));
    return true;
  } catch {
    return ended.aborted;
  }
}
