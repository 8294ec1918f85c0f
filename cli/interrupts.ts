import type { Context } from './command.ts';
import { exitCodes } from './exit-codes.ts';

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
export function watchInterrupts({ io: { stderr }, output }: Context): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  let isWriting = false;
  let firstAt = 0;
  const tell = (message: string): void => {
    // The terminal has written ^C where the cursor was, and there may be a bar.
    if (stderr.isTTY) stderr.write('\n');
    output.warn('interrupted', message);
  };
  const onSignal = (): void => {
    if (stop.signal.aborted) {
      if (Date.now() - firstAt < sameSignalMs) return;
      tell('stopped at once; calls that were in flight may have been done, which the next plan will show');
      process.exit(exitCodes.interrupted);
    }
    firstAt = Date.now();
    if (isWriting) tell('interrupted: finishing the calls in flight; once more stops at once');
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
