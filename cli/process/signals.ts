/** npm passes on a signal that the terminal has already sent to its child: within this time, in ms, both count as one. */
const sameSignalMs = 500;

/** Emits the signals that a process receives. */
export type Signals = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

/**
 * Listens for Ctrl-C and SIGTERM until disposed.
 *
 * @param first called at the first signal
 * @param again called at each later one
 */
export function watchSignals(signals: Signals, first: () => void, again: () => void): Disposable {
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      first();
    } else if (Date.now() - firstAt >= sameSignalMs) again();
  };
  signals.on('SIGINT', onSignal);
  signals.on('SIGTERM', onSignal);
  return {
    [Symbol.dispose]: () => {
      signals.off('SIGINT', onSignal);
      signals.off('SIGTERM', onSignal);
    },
  };
}
