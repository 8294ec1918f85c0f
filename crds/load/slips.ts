import leven from 'leven';

/**
 * How many letters differ; two neighbours that changed places count as one, since that is the commonest slip.
 *
 * @param limit above which the exact number does not matter
 */
export function slips(one: string, other: string, limit: number): number {
  const distance = leven(one, other, { maxDistance: Math.max(limit, 3) });
  return distance === 2 && isSwapped(one, other) ? 1 : distance;
}

function isSwapped(one: string, other: string): boolean {
  const index = one.split('').findIndex((letter, position) => letter !== other[position]);
  const swapped = `${one.slice(0, index)}${one[index + 1] ?? ''}${one[index] ?? ''}${one.slice(index + 2)}`;
  return swapped === other;
}
