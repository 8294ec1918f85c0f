import type { Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { watchSignals } from './signals.ts';

/** What Ctrl-C and SIGTERM mean to a command that talks to a workspace. */
export interface Interrupts extends Disposable {
  /** Aborted by the first signal: begin nothing more. */
  readonly stop: AbortSignal;
  /** Ends the calls in flight: aborted by the first signal too, as long as only reading goes on. */
  readonly abandon: AbortSignal;
  /** From now on things are written: the first signal lets the calls in flight end. */
  protectWrites: () => void;
}

/** Listens for signals until disposed of. The second one ends the process at once. */
export function watchInterrupts({ io: { stderr }, output }: Context): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  let isWriting = false;
  const tell = (message: string): void => {
    // The terminal has written ^C where the cursor was, and there may be a bar.
    if (stderr.isTTY) stderr.write('\n');
    output.warn('interrupted', message);
  };
  const first = (): void => {
    if (isWriting) tell('interrupted: finishing the calls in flight; once more stops at once');
    stop.abort();
    if (!isWriting) abandon.abort();
  };
  const again = (): void => {
    tell('stopped at once; calls that were in flight may have been done, which the next plan will show');
    process.exit(exitCodes.interrupted);
  };
  const watch = watchSignals(first, again);
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    protectWrites: () => {
      isWriting = true;
    },
    [Symbol.dispose]: () => {
      watch[Symbol.dispose]();
    },
  };
}
