import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { type Signals, watchSignals } from '../process/signals.ts';

interface Runnable<T> {
  readonly start: () => Promise<T>;
  /** Says where it is. */
  readonly announce: (started: T) => void | Promise<void>;
  readonly close: (started: T) => Promise<void>;
}

/**
 * Runs something until the first signal, and closes it in order. The second signal ends the process at once. SIGHUP looks at
 * the certificate, as operators of other services know it.
 */
export async function runUntilSignal<T extends { readonly reloadTls: () => Promise<void> }>(
  signals: Signals,
  { start, announce, close }: Runnable<T>,
): Promise<ExitCode> {
  const stopped = Promise.withResolvers<undefined>();
  using _signals = watchSignals(
    signals,
    () => {
      stopped.resolve(undefined);
    },
    () => process.exit(exitCodes.interrupted),
  );
  const started = await start();
  const reload = () => void started.reloadTls();
  signals.on('SIGHUP', reload);
  try {
    await announce(started);
    await stopped.promise;
  } finally {
    signals.off('SIGHUP', reload);
    await close(started);
  }
  return exitCodes.ok;
}
