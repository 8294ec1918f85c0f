import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../operator/runtime/clock.ts';

/** A clock that a test moves. */
export interface FakeClock extends Clock {
  /** Lets so much time pass; everything that is due runs in its order, and what follows from it as well. */
  readonly advance: (ms: number) => Promise<void>;
  /** Sets the time of day, and no more: it jumps, as when it is corrected. */
  readonly setDay: (time: number) => void;
  /** How many timers are set. */
  readonly timers: () => number;
}

interface Timer {
  readonly due: () => number;
  readonly run: () => void;
}

/** @param finish lets all that waits go on, before more time passes */
export function fakeClock(start = Date.UTC(2026, 11, 1), finish: () => Promise<void> = settle): FakeClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let day = start;
  const set = (timer: Timer): Disposable => {
    timers.add(timer);
    return { [Symbol.dispose]: () => void timers.delete(timer) };
  };
  const earliest = (): Timer | undefined =>
    [...timers].reduce<Timer | undefined>(
      (best, one) => (best === undefined || one.due() < best.due() ? one : best),
      undefined,
    );
  return {
    now: () => day + elapsed,
    elapsed: () => elapsed,
    after: (ms, run) => {
      const due = elapsed + ms;
      return set({ due: () => due, run });
    },
    at: (time, run) => set({ due: () => time - day, run }),
    setDay: (time) => {
      day = time - elapsed;
    },
    timers: () => timers.size,
    async advance(ms) {
      const end = elapsed + ms;
      await finish();
      for (let next = earliest(); next !== undefined && next.due() <= end; next = earliest()) {
        elapsed = Math.max(elapsed, next.due());
        timers.delete(next);
        next.run();
        await finish();
      }
      elapsed = end;
    },
  };
}

/** Lets all that waits for promises go on. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}
