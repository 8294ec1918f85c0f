/** Times at which something is due: one timer of the clock for all of them, however many there are. */

import type { Clock } from '../runtime/clock.ts';

interface Entry {
  readonly time: number;
  readonly key: string;
}

export class Timers implements Disposable {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #times = new Map<string, number>();
  /** A binary heap by time. An entry whose time is not the one in `#times` is out of date. */
  readonly #heap: Entry[] = [];
  #timer: Disposable | undefined;
  #timerAt = Infinity;

  /** @param onDue called once for each key that is due, in the order of their times */
  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Sets when a key is due next; undefined: not at all. */
  set(key: string, time: number | undefined): void {
    if (this.#times.get(key) === time) return;
    if (time === undefined) this.#times.delete(key);
    else {
      this.#times.set(key, time);
      this.#push({ time, key });
    }
    this.#arm();
  }

  /** Waits anew, because the clock was corrected. */
  restart(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerAt = Infinity;
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#times.clear();
    this.#heap.length = 0;
  }

  #arm(): void {
    const time = this.#earliest();
    if (time === this.#timerAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = time;
    this.#timer =
      time === Infinity
        ? undefined
        : this.#clock.at(time, () => {
            this.#fire();
          });
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const now = this.#clock.now();
    for (let time = this.#earliest(); time <= now; time = this.#earliest()) {
      const key = this.#heap[0]?.key ?? '';
      this.#pop();
      this.#times.delete(key);
      this.#onDue(key);
    }
    this.#arm();
  }

  #earliest(): number {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#times.get(top.key) === top.time) return top.time;
      this.#pop();
    }
    return Infinity;
  }

  #push(entry: Entry): void {
    this.#heap.push(entry);
    for (let at = this.#heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfLater(parent, at)) return;
      at = parent;
    }
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const isRight = (this.#heap[right]?.time ?? Infinity) < (this.#heap[left]?.time ?? Infinity);
      const child = isRight ? right : left;
      if (this.#heap[child] === undefined || !this.#swapIfLater(at, child)) return;
      at = child;
    }
  }

  #swapIfLater(upper: number, lower: number): boolean {
    const [a, b] = [this.#heap[upper], this.#heap[lower]];
    if (a === undefined || b === undefined || a.time <= b.time) return false;
    this.#heap[upper] = b;
    this.#heap[lower] = a;
    return true;
  }
}
