import { type CallReport, ClockSkew } from '@rolecall/api';
import type { Output } from '../output/output.ts';

/** From this difference on, a plan by this machine's clock would be another one, in milliseconds. */
const offMs = 2_000;
/** From this difference on, the command warns, in milliseconds. */
const toldMs = 30_000;

/** The time by the service's clock, which begins and ends access. A permission that begins by another one begins too late. */
export class ServiceTime {
  readonly #skew = new ClockSkew();
  #ms = 0;

  /** Takes the time of each answer. */
  heard({ date, durationMs }: CallReport): void {
    this.#skew.heard(date, durationMs, Date.now());
  }

  /** The time, as far as is known now. */
  now(): Date {
    this.#ms = this.#skew.ms;
    return new Date(Date.now() + this.#ms);
  }

  /** True if the answers since the last `now` show that it was far from the service's clock. */
  isOff(): boolean {
    return Math.abs(this.#skew.ms - this.#ms) > offMs;
  }

  /** Warns if the clocks differ so much that someone should set them. */
  warn(output: Output): void {
    const { ms } = this.#skew;
    if (Math.abs(ms) < toldMs) return;
    const seconds = Math.round(Math.abs(ms) / 1000);
    const message = `the service's clock is ${seconds} s ${ms > 0 ? 'ahead of' : 'behind'} this machine's. The plan goes by the service's, which begins and ends access. Set both by NTP`;
    output.warn('clock_differs', message);
  }
}
