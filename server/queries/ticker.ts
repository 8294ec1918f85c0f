import { setTimeout } from 'node:timers/promises';

export interface Ticker {
  /** Stops, and waits for the turn in progress. */
  stop: () => Promise<void>;
}

/** Repeats an action, one turn after the other. A failed turn is reported, and the next one follows. */
export function startTicker(pauseMs: number, turn: () => Promise<void>, onError: (error: unknown) => void): Ticker {
  const end = new AbortController();
  const { signal } = end;
  const running = (async () => {
    while (await pause()) await turn().catch(onError);
  })();

  async function pause(): Promise<boolean> {
    // The timer alone must not keep the process alive.
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }

  return {
    stop: async () => {
      end.abort();
      await running;
    },
  };
}
