/** What a figure is held to, as the end of its note says: `(at most 2.3)`, `(under 120 MB = 114.4 MiB)`, `(200 or more)`. */
const bounds: readonly (readonly [RegExp, (value: number, bound: number) => boolean])[] = [
  [/[(;.] ?(?:at most|within|[\d,.]+ within) ([\d,.]+)[^()\d]*\)?$/i, (value, bound) => value <= bound],
  [/[(;] ?([\d,.]+) at most[^()\d]*\)?$/, (value, bound) => value <= bound],
  [/[(;] ?(?:each )?under ([\d,.]+)[^()\d]*\)?$/, (value, bound) => value < bound],
  [/[(;] ?under [\d,.]+ MB = ([\d,.]+) MiB\)?$/, (value, bound) => value < bound],
  [/[(;] ?at least ([\d,.]+)[^()\d]*\)?$/, (value, bound) => value >= bound],
  [/[(;] ?([\d,.]+) or more\)?$/, (value, bound) => value >= bound],
  [/[(;] ?exactly ([\d,.]+)\)?$/, (value, bound) => value === bound],
];

/** Whether a figure misses what its note holds it to; undefined where it is held to nothing. */
export function isMissed(note: string, value: number): boolean | undefined {
  for (const [pattern, holds] of bounds) {
    const bound = pattern.exec(note)?.[1];
    if (bound !== undefined) return !holds(value, Number(bound.replaceAll(',', '')));
  }
  return undefined;
}
