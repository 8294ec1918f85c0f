import type { Clock } from './clock.ts';

/** The time for which a warning is only counted before it is said again, in milliseconds. */
const againMs = 10 * 60_000;

/** The most warnings that are told apart. Their texts name objects, of which there may be any number. */
const mostKnown = 1_000;

interface Known {
  readonly saidAt: number;
  readonly more: number;
}

/** Says each warning once. While it repeats it is counted, and said again with that count every ten minutes. */
export class RepeatedWarnings {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #say: (message: string) => void;
  readonly #warnings = new Map<string, Known>();

  constructor(clock: Pick<Clock, 'elapsed'>, say: (message: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  /** @param detail what differs each time, such as the time until the next try */
  warn(message: string, detail = ''): void {
    const now = this.#clock.elapsed();
    const warning = this.#warnings.get(message);
    if (warning !== undefined && now - warning.saidAt < againMs) {
      this.#warnings.set(message, { ...warning, more: warning.more + 1 });
      return;
    }
    // The warning that was first said longest ago is forgotten first.
    this.#warnings.delete(message);
    const [oldest] = this.#warnings.keys();
    if (oldest !== undefined && this.#warnings.size >= mostKnown) this.#warnings.delete(oldest);
    this.#warnings.set(message, { saidAt: now, more: 0 });
    const count =
      warning === undefined || warning.more === 0 ? '' : ` (${warning.more} more times since it was last logged)`;
    this.#say(`${message}${detail}${count}`);
  }
}
