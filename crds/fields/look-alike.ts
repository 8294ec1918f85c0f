/** Names that are not the same and look as if they were: a Cyrillic а in the place of a Latin one. */

/** Whether a name has letters beyond ASCII: only then can it be taken for another one. */
export function isForeign(name: string): boolean {
  return /[^\0-\x7f]/.test(name);
}

/** A name in quotation marks, with the code points of what is not ASCII in it: two that look alike can be told apart. */
export function spelled(name: string): string {
  const foreign = [...new Set(name)].filter((character) => (character.codePointAt(0) ?? 0) > 127);
  const points = foreign.map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const quoted = JSON.stringify(name);
  return points.length === 0 ? quoted : `${quoted} (with ${points.join(', ')})`;
}

/** Whether two of one skeleton are two names: of the same letters they are one, which is another problem. */
export function areLookAlikes(one: string, other: string): boolean {
  return one.toLowerCase() !== other.toLowerCase() && (isForeign(one) || isForeign(other));
}

/**
 * What a name looks like: the same for all that can be taken for each other (Unicode Technical Standard 39, section 4). The
 * table is loaded only where it is needed.
 */
export async function loadSkeleton(): Promise<(name: string) => string> {
  const { default: unhomoglyph } = await import('unhomoglyph');
  return (name) => skeletonOf(name, unhomoglyph);
}

/** @param unhomoglyph the table of look-alikes */
export function skeletonOf(name: string, unhomoglyph: (text: string) => string): string {
  return unhomoglyph(name.normalize('NFKC').toLowerCase().normalize('NFD')).normalize('NFD').toLowerCase();
}
