import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';

/** What Ctrl-C and SIGTERM mean to a command that talks to a workspace. */
export interface Interrupts {
  /** Aborted by the first signal: begin nothing more. */
  readonly stop: AbortSignal;
  /** Ends the calls in flight: aborted by the first signal too, as long as only reading goes on. */
  readonly abandon: AbortSignal;
  /** From now on things are written: the first signal lets the calls in flight end. */
  protectWrites: () => void;
  [Symbol.dispose]: () => void;
}

/** npm passes on to its child the signal that the terminal has already sent to both of them. */
const sameSignalMs = 500;

/** Listens for signals until disposed of. The second one ends the process at once. */
export function watchInterrupts({ stderr }: Pick<Io, 'stderr'>): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  let isWriting = false;
  let firstAt = 0;
  const onSignal = (): void => {
    if (stop.signal.aborted) {
      if (Date.now() - firstAt < sameSignalMs) return;
      stderr.write('\nStopped at once. Calls that were in flight may have been done: the next plan will show.\n');
      process.exit(exitCodes.interrupted);
    }
    firstAt = Date.now();
    if (isWriting) stderr.write('\nInterrupted: finishing the calls in flight. Once more stops at once.\n');
    stop.abort();
    if (!isWriting) abandon.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    protectWrites: () => {
      isWriting = true;
    },
    [Symbol.dispose]: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
