import type { Context } from '../command.ts';
import { InterruptedError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { watchSignals } from './signals.ts';

/** Interrupts of a command that talks to a workspace, by Ctrl-C and SIGTERM. */
export interface Interrupts extends Disposable {
  /** Aborted by the first signal: start no further request. */
  readonly stop: AbortSignal;
  /** Ends requests in flight. Also aborted by the first signal, as long as the command only reads. */
  readonly abandon: AbortSignal;
  /** From now on the command writes: the first signal lets requests in flight finish. */
  protectWrites: () => void;
}

/** Listens for signals until disposed. The second one ends the process at once. */
export function watchInterrupts({ io: { stderr, signals }, output }: Context): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  let isWriting = false;
  const tell = (message: string): void => {
    // The terminal has printed ^C at the cursor, perhaps behind a progress bar.
    if (stderr.isTTY) stderr.write('\n');
    output.warn('interrupted', message);
  };
  const first = (): void => {
    if (isWriting) tell('interrupted: finishing the requests in flight; press again to stop at once');
    stop.abort();
    if (!isWriting) abandon.abort();
  };
  const again = (): void => {
    tell('stopped at once; requests in flight may have been carried out, which the next plan will show');
    process.exit(exitCodes.interrupted);
  };
  const watch = watchSignals(signals, first, again);
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

/** Called before each further call that writes. @throws InterruptedError once the command was interrupted */
export function failIfStopped({ stop }: Interrupts): void {
  if (stop.aborted) throw new InterruptedError('interrupted; what was done before stays');
}

/** After Ctrl-C, reports the interruption instead of the request that it aborted. */
export async function orInterrupted<T>(work: Promise<T>, abandon: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (abandon.aborted) throw new InterruptedError();
    throw error;
  }
}
