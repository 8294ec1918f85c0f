/** npm passes on to its child the signal that the terminal has already sent to both: within this time it is one. */
const sameSignalMs = 500;

/**
 * Listens for Ctrl-C and SIGTERM until disposed of.
 *
 * @param first called at the first signal
 * @param again called at each later one
 */
export function watchSignals(first: () => void, again: () => void): Disposable {
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      first();
    } else if (Date.now() - firstAt >= sameSignalMs) again();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    [Symbol.dispose]: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
