/** Versions of objects and collections: whole numbers that grow (Kubernetes documentation, "Resource versions"). */

/** @returns whether a version is older than another one; false where one of them is no number, so that they cannot be compared */
export function isOlderVersion(version: string | undefined, than: string | undefined): boolean {
  if (!isComparable(version) || !isComparable(than)) return false;
  // They are written without zeros in front.
  return version.length === than.length ? version < than : version.length < than.length;
}

/** True if versions can be compared with it. */
export function isComparable(version: string | undefined): version is string {
  return version !== undefined && /^[1-9]\d*$/.test(version);
}

/** The newer of two versions; the first where they cannot be compared. */
export function newerVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (!isComparable(a)) return isComparable(b) ? b : undefined;
  return isOlderVersion(a, b) ? b : a;
}
