import { createHash } from 'node:crypto';
import { canonicalJson } from '@rolecall/api';
import { isObject, objectName, type ReadObject } from './object-name.ts';
import { readingWords } from './reading-words.ts';

/**
 * What a plan was made from, small enough to lie beside it: a fingerprint of every object that was read. By it a later
 * run can say which objects have changed since, not only that something has.
 */
export type Baseline = Readonly<Record<string, BaselineReading>>;

/** One reading, under the name that the view gives it. */
export interface BaselineReading {
  /** What was read, in words: `people`, `the people in analysts`. */
  readonly what: string;
  /** By id: the name of the object and its fingerprint. */
  readonly objects: Readonly<Record<string, readonly [name: string, fingerprint: string]>>;
}

/**
 * Takes the fingerprints.
 *
 * @param readings by name, as `View.readings` gives them
 */
export function takeBaseline(readings: ReadonlyMap<string, unknown>): Baseline {
  const words = readingWords(readings);
  return Object.fromEntries(
    [...readings].map(([name, reading]) => {
      const objects = (Array.isArray(reading) ? reading : [reading]).filter(isObject);
      const entries = objects.map((object) => [object.id, [objectName(object), fingerprint(object)]] as const);
      return [name, { what: words(name), objects: Object.fromEntries(entries) }];
    }),
  );
}

/** 64 bits: enough to notice every change, and half the size. */
function fingerprint(object: ReadObject): string {
  const text = canonicalJson(object, 'unordered');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
