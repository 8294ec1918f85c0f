/**
 * The known name that a mistaken one was most likely meant to be.
 *
 * @returns undefined where none is near: a third of the letters may be wrong
 */
export function nearestName(mistaken: string, known: readonly string[]): string | undefined {
  // The distance takes time by the product of the lengths; no field has a name this long.
  if (mistaken.length > 64) return undefined;
  const ranked = known
    .map((name) => ({ name, distance: distance(mistaken.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.ceil(best.name.length / 3)) ? best.name : undefined;
}

/** How many letters must be put in, taken out or changed to make one of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
