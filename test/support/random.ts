/** Numbers that look random and are the same for the same seed, so that a failure can be had again (mulberry32). */
export interface Random {
  /** From 0 up to 1. */
  next: () => number;
  /** A whole number from 0 up to, but not, `bound`. */
  below: (bound: number) => number;
  pick: <T>(values: readonly T[]) => T;
  chance: (probability: number) => boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    chance: (probability) => next() < probability,
  };
}
