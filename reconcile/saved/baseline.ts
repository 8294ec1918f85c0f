import { createHash } from 'node:crypto';
import { canonicalJson } from '@rolecall/api';
import { collectionWords } from '@rolecall/crds';

/**
 * The readings from which a plan was made, small enough to lie beside it: a fingerprint of every object that was read. By it a later run can
 * say which objects have changed since, not only that something has.
 */
export type Baseline = Readonly<Record<string, BaselineReading>>;

/** One reading, under the name that the view gives it. */
export interface BaselineReading {
  /** The reading in words: `people`, `the people in analysts`. */
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

/** Readings of whole collections have their names. */
const collections: Readonly<Record<string, string>> = collectionWords;

/** Readings about one object: the collection that knows its name, and how the reading is called. */
const details: Readonly<Record<string, { of: string; say: (name: string) => string }>> = {
  rolePeople: { of: 'roles', say: (name) => `the people in ${name}` },
  roleDataSources: { of: 'roles', say: (name) => `the data sources in ${name}` },
  connection: { of: 'dataSources', say: (name) => `the connection of ${name}` },
  snippetVersions: { of: 'snippets', say: (name) => `the versions of the snippet ${name}` },
  personRoles: { of: 'people', say: (name) => `the roles of ${name}` },
};

/** Names a reading of the view as people do: `rolePeople r5Hj1pZc9VdC` is `the people in analysts`. */
function readingWords(readings: ReadonlyMap<string, unknown>): (name: string) => string {
  const names = new Map<string, string>();
  for (const [name, reading] of readings) {
    if (!Object.hasOwn(collections, name) || !Array.isArray(reading)) continue;
    for (const object of reading.filter(isObject)) names.set(`${name} ${object.id}`, objectName(object));
  }
  return (reading) => {
    const [name = '', id = ''] = reading.split(' ');
    const detail = details[name];
    if (detail === undefined) return collections[name] ?? reading;
    return detail.say(names.get(`${detail.of} ${id}`) ?? id);
  };
}

/** An object as the service lists it; besides its id nothing is certain here. */
interface ReadObject {
  readonly id: string;
}

function isObject(value: unknown): value is ReadObject {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

/** The name that readers know: the username, the alias, or both ends of a permission. */
function objectName(object: ReadObject): string {
  const fields: Readonly<Record<string, unknown>> = { ...object };
  if (isObject(fields['person']) && isObject(fields['dataSource'])) {
    return `${objectName(fields['person'])} on ${objectName(fields['dataSource'])}`;
  }
  if (isObject(fields['activeVersion'])) return objectName(fields['activeVersion']);
  for (const field of ['username', 'alias', 'name']) {
    const value = fields[field];
    if (typeof value === 'string') return value;
  }
  return object.id;
}
