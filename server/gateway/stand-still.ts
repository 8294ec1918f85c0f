import { setTimeout as sleep } from 'node:timers/promises';

/** Interval of looks at the time, gap which means that the process stood still, pause after a failure; in milliseconds. */
const [tickMs, gapMs, retryMs] = [200, 1000, 300];

interface StandStillParts {
  /** Asks the store for all that may have ended, and ends it here. */
  readonly ask: () => Promise<void>;
  /** Is called when it has asked. */
  readonly onAsked: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Notices that the process stood still: it was stopped, its machine slept, or its work left it no time. Until it has asked, it does not
 * know what ended meanwhile. What waits in sockets is read before any timer runs, so readers have to ask here first.
 */
export class StandStill {
  readonly #parts: StandStillParts;
  readonly #timer: NodeJS.Timeout;
  #seenAt = performance.now();
  #wallAt = Date.now();
  #times = 0;
  #isAsking = false;
  #isClosed = false;

  constructor(parts: StandStillParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#tick();
    }, tickMs).unref();
  }

  /** True if the process stood still and has not asked since: then it may pass nothing on. */
  readonly isBlind = (): boolean => {
    const now = performance.now();
    if (now - this.#seenAt > gapMs) this.#stoodStill();
    this.#seenAt = now;
    return this.#isAsking;
  };

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** The monotonic clock may leave out the time that a machine slept. Reading the wall clock for each message would cost too much. */
  #tick(): void {
    const wall = Date.now();
    if (!this.isBlind() && wall - this.#wallAt > gapMs) this.#stoodStill();
    this.#wallAt = wall;
  }

  #stoodStill(): void {
    this.#times += 1;
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    for (let asked = -1; asked !== this.#times && !this.#isClosed; this.isBlind()) {
      const times = this.#times;
      try {
        await this.#parts.ask();
        asked = times;
      } catch (error) {
        this.#parts.onError(error);
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    this.#isAsking = false;
    this.#parts.onAsked();
  }
}
