/** Finds what the author probably meant. */

import leven from 'leven';

/**
 * Returns the candidate nearest to an unknown word, or undefined if none is near.
 *
 * @param word the word in the input
 * @param candidates what could have been meant
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const same = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (same !== undefined) return same;
  // A third of the letters may be wrong. With more, the suggestion would confuse more often than it helps.
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

/** `password` for `passwordFrom`: too many letters are missing for a typing mistake, but it is what the author meant. */
function sharesBeginning(name: string, other: string): boolean {
  const length = Math.min(name.length, other.length);
  return length >= 4 && name.slice(0, length) === other.slice(0, length);
}

/** The remedy for an unknown word. */
export function suggestion(word: string, candidates: readonly string[], what: string): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return `Did you mean ${near}?`;
  return candidates.length === 0 ? `Remove it.` : `Known ${what}: ${candidates.join(', ')}.`;
}

/**
 * Counts the letters that differ. Two neighbours in the wrong order count as one, since that is the commonest mistake.
 *
 * @param limit above which the exact number does not matter
 */
export function slips(name: string, other: string, limit: number): number {
  const distance = leven(name, other, { maxDistance: Math.max(limit, 3) });
  return distance === 2 && isSwapped(name, other) ? 1 : distance;
}

function isSwapped(name: string, other: string): boolean {
  const index = name.split('').findIndex((letter, position) => letter !== other[position]);
  const swapped = `${name.slice(0, index)}${name[index + 1] ?? ''}${name[index] ?? ''}${name.slice(index + 2)}`;
  return swapped === other;
}
