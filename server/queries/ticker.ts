import { setTimeout } from 'node:timers/promises';

export interface Ticker {
  /** Waits for the turn that runs. */
  stop: () => Promise<void>;
}

/** Does something again and again, one turn after the other; a turn that fails is reported, and the next comes. */
export function startTicker(pauseMs: number, turn: () => Promise<void>, onError: (error: unknown) => void): Ticker {
  const end = new AbortController();
  const { signal } = end;
  const running = (async () => {
    while (await pause()) await turn().catch(onError);
  })();

  async function pause(): Promise<boolean> {
    // Not what keeps a process alive.
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
