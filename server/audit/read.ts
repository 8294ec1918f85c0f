import { type StoredEntry, selectEntriesAfter, selectEntriesBefore } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { Change, Entry, FieldValue } from './entry.ts';

/** An entry with its place in the chain. */
export interface ListedEntry extends Entry {
  readonly hash: string;
}

export interface EntryQuery extends Omit<EntryFilter, 'objects'> {
  /** Identifier of an object. */
  readonly object?: string | undefined;
  /** Identifier or username of a person, including one who was deleted since. */
  readonly person?: string | undefined;
  /** At most this many: the newest. */
  readonly limit: number;
}

const page = 1000;
const afterTheLast = Number.MAX_SAFE_INTEGER;

/** The newest matching entries, oldest first. Reads backwards from the newest until there are enough. */
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
    // A few at a time: entries may be large, and those beyond the limit would be read for nothing.
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

/** The service writes only entries into the table; `audit verify` finds any other writer. */
function parseEntry({ content, hash }: StoredEntry): ListedEntry {
  return { ...(JSON.parse(content) as Entry), hash };
}

/** Selects entries; absent fields match everything. */
interface EntryFilter {
  /** ISO 8601; entries of this time and later. */
  readonly since?: string | undefined;
  /** ISO 8601; entries before this time. */
  readonly until?: string | undefined;
  /** Identifier or name of the API key that made the change, or was changed itself. */
  readonly key?: string | undefined;
  /** Identifiers of objects that were changed, or that an object that was changed refers to: one of them is enough. */
  readonly objects?: ReadonlySet<string> | undefined;
}

function matches(entry: Entry, { since, until, key, objects }: EntryFilter): boolean {
  if (since !== undefined && entry.at < since) return false;
  if (until !== undefined && entry.at >= until) return false;
  if (key !== undefined && !concernsKey(entry, key)) return false;
  return objects === undefined || entry.changes.some((change) => concerns(change, objects));
}

function concernsKey({ actor, changes }: Entry, key: string): boolean {
  return (
    (actor.type === 'api_key' && (actor.id === key || actor.name === key)) ||
    changes.some(({ kind, id, name }) => kind === 'api_key' && (id === key || name === key))
  );
}

function concerns({ id, before = {}, after = {} }: Change, objects: ReadonlySet<string>): boolean {
  if (objects.has(id)) return true;
  return [...Object.values(before), ...Object.values(after)].some((value) => refersTo(value, objects));
}

/** Only whole fields: an identifier in the middle of a name is none. */
function refersTo(value: FieldValue, objects: ReadonlySet<string>): boolean {
  return typeof value === 'string' && objects.has(value);
}

/** The identifiers of the people who have, or had at some time, a username; the case of letters does not matter. */
function peopleNamed(entry: Entry, username: string): string[] {
  const wanted = username.toLowerCase();
  return entry.changes.flatMap(({ kind, id, name }) =>
    kind === 'person' && name?.toLowerCase() === wanted ? [id] : [],
  );
}
