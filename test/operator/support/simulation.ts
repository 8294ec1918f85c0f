import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorOptions } from '@rolecall/operator';
import { isWatch } from '../../support/kubernetes/fault-proxy.ts';
import type { SendEvent } from '../../support/kubernetes/watch-fault.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import type { Installation, Operating } from './installation.ts';
import type { TestWorkspace } from './workspace.ts';

/** An operator whose time a test moves, between a real API server and a real service. */
export interface Simulation {
  readonly clock: FakeClock;
  readonly operator: Operating;
  /** Lets so much time pass; what becomes due is done, calls and all, before more of it passes. */
  readonly pass: (ms: number) => Promise<void>;
  /**
   * Lets time pass in small steps until something holds.
   *
   * @returns how long that took, in simulated milliseconds
   */
  readonly passUntil: (holds: () => Promise<boolean> | boolean, most: number, step?: number) => Promise<number>;
}

export async function simulate(
  all: Installation,
  workspace: TestWorkspace,
  more: Partial<OperatorOptions> = {},
): Promise<Simulation> {
  const clock = fakeClock(Date.now(), () => idle(all, workspace));
  sendBookmarks(all, clock);
  workspace.proxy.now = clock.now;
  const operating = await all.operate({ clock, ...more });
  const stop = async (): Promise<void> => {
    const stopped = operating.stop();
    // What is never answered is given up in simulated time.
    await clock.advance(graceMs);
    await stopped;
  };
  return {
    clock,
    operator: { ...operating, stop },
    pass: clock.advance,
    passUntil: async (holds, most, step = 200) => {
      const begun = clock.elapsed();
      while (!(await holds())) {
        const passed = clock.elapsed() - begun;
        if (passed > most)
          throw new Error(
            `it did not come about within ${most / 1000} simulated seconds; ${operating.log.slice(-3).join('; ')}`,
          );
        await clock.advance(step);
      }
      return clock.elapsed() - begun;
    },
  };
}

/** Waits until no request has been under way for some turns: what follows from an answer is then asked for as well. */
async function idle({ proxy }: Installation, workspace: TestWorkspace): Promise<void> {
  const count = (): number => proxy.requests.length + workspace.proxy.requests.length;
  for (let [turns, seen] = [0, count()]; turns < quietTurns; turns += 1) {
    await sleep(2);
    if (proxy.inFlight() + workspace.proxy.inFlight() > 0 || count() !== seen) [turns, seen] = [0, count()];
  }
}

const quietTurns = 5;

/** As long as an operator finishes what is under way at most, or longer. */
const graceMs = 10_000;

/** The API server sends each watch a bookmark every minute or so; its minutes have to be those of the simulation. */
function sendBookmarks({ proxy }: Installation, clock: FakeClock): void {
  const versions = new Map<SendEvent, string>();
  proxy.fault = (request) => {
    if (!isWatch(request)) return undefined;
    const from = new URL(request.path, 'http://localhost').searchParams.get('resourceVersion') ?? '0';
    return {
      events: {
        opened: (send) => versions.set(send, from),
        event: (event, send) => {
          versions.set(send, event.object.metadata.resourceVersion ?? from);
          send(event);
        },
        closed: (send) => versions.delete(send),
      },
    };
  };
  const tick = (): void => {
    for (const [send, resourceVersion] of versions) {
      send({ type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion } } });
    }
    clock.after(30_000, tick);
  };
  clock.after(30_000, tick);
}
