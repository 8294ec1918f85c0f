import type { LeftOut } from './document.ts';

/**
 * Parts objects with a natural key of their own from those whose key definitions cannot tell apart, such as two roles
 * that differ only in how an accent is written.
 *
 * @param keyOf as plans compare them
 * @param reason what makes several the same
 */
export function distinct<T>(
  objects: readonly T[],
  keyOf: (object: T) => string,
  describe: (object: T) => string,
  reason: string,
): { unique: T[]; leftOut: LeftOut[] } {
  const unique: T[] = [];
  const leftOut: LeftOut[] = [];
  for (const [object, ...others] of Map.groupBy(objects, keyOf).values()) {
    if (object === undefined) continue;
    if (others.length === 0) unique.push(object);
    else {
      leftOut.push({
        what: [object, ...others].map(describe).join(' and '),
        reason: `definitions cannot tell them apart: ${reason}`,
        remedy: 'rename or delete all but one of them',
      });
    }
  }
  return { unique, leftOut };
}

/** Why the workspace takes two names for different ones and definitions do not. */
export const sameSpelling = 'they differ only in how characters are encoded';
