import { collectionWords } from '@rolecall/crds';
import { isObject, objectName } from './object-name.ts';

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

/** How people call a reading of the view: `rolePeople r5Hj1pZc9VdC` is `the people in analysts`. */
export function readingWords(readings: ReadonlyMap<string, unknown>): (name: string) => string {
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
