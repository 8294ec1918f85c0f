/** Different names that look the same, such as with a Cyrillic а in place of a Latin one. */

/** True if a name has letters beyond ASCII: only then can it look like another name. */
export function isForeign(name: string): boolean {
  return /[^\0-\x7f]/.test(name);
}

/** A quoted name with the code points of its non-ASCII characters, which tell look-alikes apart. */
export function spelled(name: string): string {
  const foreign = [...new Set(name)].filter((character) => (character.codePointAt(0) ?? 0) > 127);
  const points = foreign.map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const quoted = JSON.stringify(name);
  return points.length === 0 ? quoted : `${quoted} (with ${points.join(', ')})`;
}

/** True if two names with the same skeleton really differ; equal names are a different problem. */
export function areLookAlikes(name: string, other: string): boolean {
  return name.toLowerCase() !== other.toLowerCase() && (isForeign(name) || isForeign(other));
}

/**
 * The skeleton of a name, which is equal for names that look alike (Unicode Technical Standard 39, section 4). Loads the table
 * only when it is needed.
 */
export async function loadSkeleton(): Promise<(name: string) => string> {
  const { default: unhomoglyph } = await import('unhomoglyph');
  return (name) => skeletonOf(name, unhomoglyph);
}

/** @param unhomoglyph the table of look-alikes */
export function skeletonOf(name: string, unhomoglyph: (text: string) => string): string {
  return unhomoglyph(name.normalize('NFKC').toLowerCase().normalize('NFD')).normalize('NFD').toLowerCase();
}
