import { addAbortListener } from 'node:events';

/** A database took too long. */
export class DeadlineError extends Error {
  override name = 'DeadlineError';
  readonly code = 'ERR_DEADLINE';

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
  }
}

/** Time that work may take to end by itself once its signal has aborted, in milliseconds. */
const grace = 250;

/**
 * Runs work with a time limit. Its signal aborts when the time is over or the caller gives up. Soon after, the promise rejects
 * with the signal's reason, even if the work ignores the signal.
 *
 * @param milliseconds how long the work may take
 * @param given the caller's own signal
 * @throws DeadlineError when the time is over, the given signal's reason when that aborted, or what the work threw
 */
export async function withDeadline<T>(
  milliseconds: number,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  given?.throwIfAborted();
  const controller = new AbortController();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout;
  const abort = (reason: unknown): void => {
    clearTimeout(timer);
    timer = setTimeout(reject, grace, reason);
    controller.abort(reason);
  };
  timer = setTimeout(() => {
    abort(new DeadlineError(milliseconds));
  }, milliseconds);
  using _given =
    given &&
    addAbortListener(given, () => {
      abort(given.reason);
    });
  try {
    return await Promise.race([work(controller.signal), overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for something to end, but not longer than this. */
export async function settleWithin(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  await Promise.race([ending.catch(() => undefined), over]);
  clearTimeout(timer);
}
