/** Finds what somebody probably meant. */

import leven from 'leven';

/**
 * The candidate nearest to a word that is none of them, or undefined when nothing is near.
 *
 * @param word what was written
 * @param candidates what could have been meant
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const same = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (same !== undefined) return same;
  // A third of the letters may be wrong: more, and the suggestion would puzzle more often than help.
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = slips(lower, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? candidates.find((candidate) => sharesBeginning(lower, candidate.toLowerCase()));
}

/** `password` for `passwordFrom`: too many letters are missing to be a slip of the pen, but it is what was meant. */
function sharesBeginning(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return length >= 4 && one.slice(0, length) === other.slice(0, length);
}

/** A remedy for a word that is none of the candidates. */
export function suggestion(word: string, candidates: readonly string[], what: string): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return `Did you mean ${near}?`;
  return candidates.length === 0 ? `Remove it.` : `Known ${what}: ${candidates.join(', ')}.`;
}

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
