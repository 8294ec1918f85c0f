const rules = {
  'at most': (value: number, bound: number) => value <= bound,
  under: (value: number, bound: number) => value < bound,
  'at least': (value: number, bound: number) => value >= bound,
  exactly: (value: number, bound: number) => value === bound,
};

/** The target of a figure. */
export type Bound = readonly [rule: keyof typeof rules, value: number];

/** @returns as in `at most 2.3` */
export function describeBound([rule, bound]: Bound): string {
  return `${rule} ${bound.toLocaleString('en')}`;
}

export function isMissed(value: number, [rule, bound]: Bound): boolean {
  return !rules[rule](value, bound);
}
