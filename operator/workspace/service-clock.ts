import { ClockSkew } from '@rolecall/api';
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
  readonly #operatorClock: Clock;
  readonly #skew = new ClockSkew();

  constructor(operatorClock: Clock) {
    this.#operatorClock = operatorClock;
  }

  now = (): number => this.#operatorClock.now() + this.skewMs;
  elapsed = (): number => this.#operatorClock.elapsed();
  after = (ms: number, run: () => void): Disposable => this.#operatorClock.after(ms, run);
  at = (time: number, run: () => void): Disposable => this.#operatorClock.at(time - this.skewMs, run);

  /** Takes the Date of an answer. */
  heard(date: string | undefined, exchangeMs: number): void {
    if (this.#skew.heard(date, exchangeMs, this.#operatorClock.now())) this.onChange();
  }

  /** The milliseconds by which the service is ahead of this process. */
  get skewMs(): number {
    return this.#skew.ms;
  }

  /** The difference as a status words it: in whole minutes, so that the status does not change each second. Empty if there is none. */
  describe(): string {
    if (Math.abs(this.skewMs) < toldMs) return '';
    const minutes = Math.max(1, Math.round(Math.abs(this.skewMs) / 60_000));
    const direction = this.skewMs > 0 ? 'ahead of' : 'behind';
    return ` The service's clock is about ${minutes} min ${direction} the operator's: permissions and memberships begin and end by the service's. Correct the wrong one.`;
  }
}
