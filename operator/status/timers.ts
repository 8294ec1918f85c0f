/** What is due when: one timer for all, however many there are. */

import type { Clock } from '../runtime/clock.ts';

export interface Timetable extends Disposable {
  /** Says when something is due next; undefined: not at all. */
  readonly set: (key: string, time: number | undefined) => void;
}

/**
 * @param onDue told of everything that is due, once, in the order of the times
 */
export function createTimetable(clock: Clock, onDue: (key: string) => void): Timetable {
  const times = new Map<string, number>();
  /** A heap by time. An entry that does not say what `times` says is out of date. */
  const heap: { readonly time: number; readonly key: string }[] = [];
  let timer: Disposable | undefined;
  let timerAt = Infinity;

  function push(key: string, time: number): void {
    heap.push({ key, time });
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!swapIfLater(parent, at)) return;
      at = parent;
    }
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = (heap[right]?.time ?? Infinity) < (heap[left]?.time ?? Infinity) ? right : left;
      if (heap[child] === undefined || !swapIfLater(at, child)) return;
      at = child;
    }
  }

  function swapIfLater(upper: number, lower: number): boolean {
    const [a, b] = [heap[upper], heap[lower]];
    if (a === undefined || b === undefined || a.time <= b.time) return false;
    heap[upper] = b;
    heap[lower] = a;
    return true;
  }

  function first(): number {
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      if (times.get(top.key) === top.time) return top.time;
      pop();
    }
    return Infinity;
  }

  function arm(): void {
    const time = first();
    if (time === timerAt) return;
    timer?.[Symbol.dispose]();
    timerAt = time;
    timer = time === Infinity ? undefined : clock.at(time, ring);
  }

  function ring(): void {
    timer = undefined;
    timerAt = Infinity;
    const now = clock.now();
    for (let time = first(); time <= now; time = first()) {
      const key = heap[0]?.key ?? '';
      pop();
      times.delete(key);
      onDue(key);
    }
    arm();
  }

  return {
    set: (key, time) => {
      if (times.get(key) === time) return;
      if (time === undefined) times.delete(key);
      else {
        times.set(key, time);
        push(key, time);
      }
      arm();
    },
    [Symbol.dispose]: () => {
      timer?.[Symbol.dispose]();
      times.clear();
      heap.length = 0;
    },
  };
}
