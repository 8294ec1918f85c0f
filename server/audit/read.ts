import { type StoredEntry, selectEntriesAfter, selectEntriesBefore } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { Entry } from './entry.ts';
import { type EntryFilter, matches, peopleNamed } from './filter.ts';

/** An entry with its place in the chain. */
export interface ListedEntry extends Entry {
  readonly hash: string;
}

export interface EntryQuery extends Omit<EntryFilter, 'objects'> {
  /** Identifier of an object. */
  readonly object?: string | undefined;
  /** Identifier or username of a person, one who was deleted since too. */
  readonly person?: string | undefined;
  /** How many at most: the newest. */
  readonly limit: number;
}

const page = 1000;
const afterTheLast = Number.MAX_SAFE_INTEGER;

/** The newest entries that are wanted, oldest first. Reads from the newest back, until there are enough. */
export async function readEntries(store: Pick<Store, 'read'>, query: EntryQuery): Promise<ListedEntry[]> {
  const filter: EntryFilter = { ...query, objects: await objectsOf(store, query) };
  const found: ListedEntry[] = [];
  let from = afterTheLast;
  for (;;) {
    const stored = await store.read((executor) => selectEntriesBefore(executor, from, page));
    for (const one of stored) {
      const entry = parseEntry(one);
      if (matches(entry, filter)) found.push(entry);
      if (found.length === query.limit) return found.reverse();
    }
    const last = stored.at(-1);
    if (last === undefined || stored.length < page) return found.reverse();
    from = last.seq;
  }
}

/**
 * The entries after a number, oldest first, as they are stored.
 *
 * @param mostBytes ends the page early; the first entry is there however large it is
 */
export async function readPage(
  store: Pick<Store, 'read'>,
  after: number,
  { limit, mostBytes }: { limit: number; mostBytes: number },
): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  let bytes = 0;
  for (let from = after; found.length < limit; ) {
    // A few at a time: an entry may be large, and what is beyond the bytes would be read for nothing.
    const next = await store.read((executor) => selectEntriesAfter(executor, from, Math.min(50, limit - found.length)));
    for (const entry of next) {
      bytes += Buffer.byteLength(entry.content);
      if (bytes > mostBytes && found.length > 0) return found;
      found.push(entry);
      from = entry.seq;
    }
    if (next.length === 0) break;
  }
  return found;
}

/** An entry with its hash as one line of JSON: without the hash, byte for byte what was hashed. */
export function entryLine({ content, hash }: StoredEntry): string {
  return `${content.slice(0, -1)},"hash":"${hash}"}`;
}

async function objectsOf(store: Pick<Store, 'read'>, { object, person }: EntryQuery) {
  if (object === undefined && person === undefined) return undefined;
  const objects = new Set<string>();
  if (object !== undefined) objects.add(object);
  if (person !== undefined) {
    objects.add(person);
    for await (const entry of allEntries(store)) for (const id of peopleNamed(entry, person)) objects.add(id);
  }
  return objects;
}

async function* allEntries(store: Pick<Store, 'read'>): AsyncGenerator<Entry> {
  let from = 0;
  for (;;) {
    const stored = await store.read((executor) => selectEntriesAfter(executor, from, page));
    yield* stored.map(parseEntry);
    const last = stored.at(-1);
    if (last === undefined || stored.length < page) return;
    from = last.seq;
  }
}

/** Only entries are ever written into the table; `audit verify` says whether somebody else wrote into it. */
function parseEntry({ content, hash }: StoredEntry): ListedEntry {
  return { ...(JSON.parse(content) as Entry), hash };
}
