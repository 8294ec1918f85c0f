import { dnsNamePattern } from '@rolecall/crds';

/** An object that needs a name of its own. */
export interface Nameable {
  id: string;
  /** Its name in the workspace, by which references find it if no definition has that name. */
  naturalKey: string;
  /** Candidates for its name, the best first. */
  sources: readonly string[];
  /** ISO 8601; the older of two keeps the shorter name. */
  createdAt: string;
}

/** Longer names are cut: they are also names of files. */
const maxLength = 63;

/** Letters that do not come apart into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

/**
 * A text as a name that Kubernetes allows: `Data Analysts (EU)` becomes `data-analysts-eu`.
 *
 * @returns empty where the text has no letter or digit that a name may have
 */
export function readableName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => letters[letter] ?? '-')
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/-*\.[-.]*/g, '.')
    .replace(/^[-.]+/, '')
    .slice(0, maxLength)
    .replace(/[-.]+$/, '');
}

/**
 * Gives each object a name of its own. One whose natural key is a good name has it; of others that would have the same
 * name the oldest has it, and the next ones get `-2`, `-3`. No name is the natural key of another object, which
 * references could then mean as well.
 *
 * @param fold makes natural keys comparable, as references compare them
 * @param fallback the name for an object without letters that a name may have
 * @returns names by id
 */
export function allocateNames(
  objects: readonly Nameable[],
  fold: (naturalKey: string) => string,
  fallback: string,
): Map<string, string> {
  const owners = new Map(objects.map(({ id, naturalKey }) => [fold(naturalKey), id]));
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const isGood = ({ naturalKey }: Nameable): boolean =>
    naturalKey.length <= maxLength && dnsNamePattern.test(naturalKey);
  for (const object of [...objects.filter(isGood), ...objects.filter((other) => !isGood(other)).sort(oldestFirst)]) {
    const base = object.sources.map(readableName).find((name) => name !== '') ?? fallback;
    const isFree = (name: string): boolean => !taken.has(name) && (owners.get(name) ?? object.id) === object.id;
    const name = firstFree(isGood(object) ? object.naturalKey : base, isFree);
    taken.add(name);
    names.set(object.id, name);
  }
  return names;
}

/** The base itself or with the least number that makes it free. */
export function firstFree(base: string, isFree: (name: string) => boolean): string {
  let name = base;
  for (let number = 2; !isFree(name); number += 1) {
    const ending = `-${number}`;
    name = `${base.slice(0, 253 - ending.length)}${ending}`;
  }
  return name;
}

function oldestFirst(a: Nameable, b: Nameable): number {
  return inOrder(a.createdAt, b.createdAt) || inOrder(a.naturalKey, b.naturalKey);
}

/** The order of code units, which is the same in every country. */
export function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
