import type { Clock } from './clock.ts';

/** How long a warning is only counted before it is said again, in milliseconds. */
const againMs = 10 * 60_000;

/** How many warnings are told apart. Their texts name objects, of which there may be any number. */
const mostKnown = 1_000;

interface Known {
  readonly saidAt: number;
  readonly more: number;
}

/** Says each warning once. While it repeats it is counted, and said again with that count every ten minutes. */
export class RepeatedWarnings {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #say: (message: string) => void;
  readonly #known = new Map<string, Known>();

  constructor(clock: Pick<Clock, 'elapsed'>, say: (message: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  /** @param detail what differs each time, such as the time until the next try */
  warn(message: string, detail = ''): void {
    const now = this.#clock.elapsed();
    const known = this.#known.get(message);
    if (known !== undefined && now - known.saidAt < againMs) {
      this.#known.set(message, { ...known, more: known.more + 1 });
      return;
    }
    // The warning that was first said longest ago is forgotten first.
    this.#known.delete(message);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostKnown) this.#known.delete(oldest);
    this.#known.set(message, { saidAt: now, more: 0 });
    const count = known === undefined || known.more === 0 ? '' : ` (${known.more} times more since it was last said)`;
    this.#say(`${message}${detail}${count}`);
  }
}
