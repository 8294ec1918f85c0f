import type { Clock } from '../runtime/clock.ts';

/** A difference that is told: what a request takes on its way is less. */
const toldMs = 30_000;

/**
 * The time of a workspace service, which decides when a permission begins and ends: the clock of this process, put right by the Date
 * of the service's answers.
 */
export class ServiceClock implements Clock {
  /** Called when the difference changed, so that what waits for a time of day has to wait anew. */
  onChange: () => void = () => undefined;
  readonly #own: Clock;
  #skewMs = 0;

  constructor(own: Clock) {
    this.#own = own;
  }

  now = (): number => this.#own.now() + this.#skewMs;
  elapsed = (): number => this.#own.elapsed();
  after = (ms: number, run: () => void): Disposable => this.#own.after(ms, run);
  at = (time: number, run: () => void): Disposable => this.#own.at(time - this.#skewMs, run);

  /**
   * Takes the Date of an answer. It has whole seconds and was set at some moment of the exchange, so it gives the least and the most that
   * the clocks differ. As long as the difference is within those, it stays as it is.
   */
  heard(date: string | undefined, exchangeMs: number): void {
    const told = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(told)) return;
    const received = this.#own.now();
    const least = told - received;
    const most = told + 1_000 - (received - exchangeMs);
    const skewMs = Math.min(Math.max(this.#skewMs, least), most);
    if (skewMs === this.#skewMs) return;
    this.#skewMs = skewMs;
    this.onChange();
  }

  /** How far the service is ahead of this process, in milliseconds. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** The difference as a status words it: in whole minutes, so that the status does not change each second. Empty if there is none. */
  describe(): string {
    if (Math.abs(this.#skewMs) < toldMs) return '';
    const minutes = Math.max(1, Math.round(Math.abs(this.#skewMs) / 60_000));
    const direction = this.#skewMs > 0 ? 'ahead of' : 'behind';
    return ` The service's clock is about ${minutes} min ${direction} the operator's: permissions and memberships begin and end by the service's. Correct the wrong one.`;
  }
}
