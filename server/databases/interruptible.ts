import { type Liveness, untilSilent } from './connections/liveness.ts';
import { DeadlineError, settleWithin } from './deadline.ts';
import type { ResultWriter } from './rows/result-writer.ts';
import type { Session } from './session.ts';

/** Signals and limits that may stop the work of a database early. */
export interface StopSources {
  signal: AbortSignal;
  sinkFailed: AbortController;
  liveness: Liveness;
}

/** A request to stop that arrives before the command is lost, so it is repeated. */
const again = 150;
/** Time that a database may take to stop before its connection is closed, in milliseconds. */
const longestStop = 900;
/** The database's own time-out says more than ours, so it goes first. */
const headStart = 500;

/**
 * Lets a session work until it is done, is stopped, runs out of time, or its server no longer answers. In these cases the
 * database is asked to stop. When this returns, the work has ended: by itself, or because the connection was closed.
 *
 * @param keep whether work counts if it succeeds although it was to be stopped: a commit that happened cannot be undone
 * @throws what the work threw, or why it was stopped
 */
export async function interruptible(
  session: Session,
  writer: ResultWriter,
  { signal, sinkFailed, liveness }: StopSources,
  timeoutMs: number | undefined,
  work: () => Promise<void>,
  keep = false,
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<{ reason: unknown }>();
  const onAbort = (): void => {
    stop({ reason: signal.reason });
  };
  const onSinkFailure = (): void => {
    stop({ reason: sinkFailed.signal.reason });
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          stop({ reason: new DeadlineError(timeoutMs) });
        }, timeoutMs + headStart);
  signal.addEventListener('abort', onAbort, { once: true });
  sinkFailed.signal.addEventListener('abort', onSinkFailure, { once: true });
  const watch = new AbortController();
  if (signal.aborted) onAbort();
  try {
    const working = work();
    void untilSilent(session, writer, liveness, watch.signal).then((reason) => {
      stop({ reason });
    });
    const early = await Promise.race([working.then(() => undefined), stopped]);
    if (early === undefined) return;
    const ended = await interrupt(session, writer, working);
    if (keep && ended) await working;
    else throw early.reason;
  } finally {
    clearTimeout(timer);
    watch.abort();
    signal.removeEventListener('abort', onAbort);
    sinkFailed.signal.removeEventListener('abort', onSinkFailure);
  }
}

/** @returns whether the work ended before the connection had to be closed */
async function interrupt(session: Session, writer: ResultWriter, working: Promise<void>): Promise<boolean> {
  writer.discard();
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  const ending = working.then(end, end);
  const start = performance.now();
  while (!state.ended && performance.now() - start < longestStop) {
    void session.interrupt();
    await settleWithin(again, ending);
  }
  if (state.ended) return true;
  session.close();
  await ending;
  return false;
}
