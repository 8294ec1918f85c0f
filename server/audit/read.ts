import { type StoredEntry, selectEntriesAfter, selectEntriesBefore } from '../store/audit.ts';
import type { MaybePromise, Store } from '../store/store.ts';
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

/** Source of entries: a store, or a service. A page may have any length; an empty one is the end. */
export interface EntrySource {
  /** The newest entries before a number, newest first. */
  readonly before: (seq: number) => Promise<readonly ListedEntry[]>;
  /** The oldest entries after a number, oldest first. */
  readonly after: (seq: number) => Promise<readonly ListedEntry[]>;
}

const page = 1000;
/** Larger than the number of any entry, and no longer than numbers of the API. */
const afterTheLast = 10 ** 15 - 1;

/** The entries of a store. */
export function storedEntries({ read }: Pick<Store, 'read'>): EntrySource {
  return {
    before: async (seq) =>
      (await read((executor) => selectEntriesBefore(executor, { seq, limit: page }))).map(parseEntry),
    after: async (seq) =>
      (await read((executor) => selectEntriesAfter(executor, { seq, limit: page }))).map(parseEntry),
  };
}

/** The newest matching entries, oldest first. Reads backwards from the newest until there are enough. */
export async function readEntries(source: EntrySource, query: EntryQuery): Promise<ListedEntry[]> {
  const filter: EntryFilter = { ...query, objects: await objectsOf(source, query) };
  const matching: ListedEntry[] = [];
  for await (const entry of allEntries(source.before, afterTheLast)) {
    if (matches(entry, filter)) matching.push(entry);
    if (matching.length === query.limit) break;
  }
  return matching.reverse();
}

/**
 * The entries from a number on, as they are stored.
 *
 * @param next gives some of the entries beyond a number
 * @param mostBytes ends the page early; the first entry is there however large it is
 */
export async function readPage(
  next: (from: number, limit: number) => MaybePromise<StoredEntry[]>,
  from: number,
  { limit, mostBytes }: { limit: number; mostBytes: number },
): Promise<StoredEntry[]> {
  const batch: StoredEntry[] = [];
  let bytes = 0;
  for (let last = from; batch.length < limit; ) {
    // A few at a time: entries may be large, and those beyond the limit would be read for nothing.
    const some = await next(last, Math.min(50, limit - batch.length));
    for (const entry of some) {
      bytes += Buffer.byteLength(entry.content);
      if (bytes > mostBytes && batch.length > 0) return batch;
      batch.push(entry);
      last = entry.seq;
    }
    if (some.length === 0) break;
  }
  return batch;
}

/** An entry with its hash as one line of JSON: without the hash, byte for byte what was hashed. */
export function entryLine({ content, hash }: StoredEntry): string {
  return `${content.slice(0, -1)},"hash":"${hash}"}`;
}

async function objectsOf({ after }: EntrySource, { object, person }: EntryQuery) {
  if (object === undefined && person === undefined) return undefined;
  const objects = new Set<string>();
  if (object !== undefined) objects.add(object);
  if (person !== undefined) {
    objects.add(person);
    for await (const entry of allEntries(after, 0)) for (const id of peopleNamed(entry, person)) objects.add(id);
  }
  return objects;
}

async function* allEntries(next: EntrySource['after'], from: number): AsyncGenerator<ListedEntry> {
  for (let entries = await next(from); entries.length > 0; entries = await next(entries.at(-1)?.seq ?? 0))
    yield* entries;
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
  /** Identifiers of objects that were changed, of what these refer to, or of the person who acted: one of them is enough. */
  readonly objects?: ReadonlySet<string> | undefined;
}

function matches(entry: Entry, { since, until, key, objects }: EntryFilter): boolean {
  if (since !== undefined && entry.at < since) return false;
  if (until !== undefined && entry.at >= until) return false;
  if (key !== undefined && !concernsKey(entry, key)) return false;
  if (objects === undefined) return true;
  return isBy(entry, objects) || entry.changes.some((change) => concerns(change, objects));
}

/** True if one of the people made the entry: signed in, ran a statement, exported rows. */
function isBy({ actor }: Entry, people: ReadonlySet<string>): boolean {
  return actor.type === 'person' && people.has(actor.id);
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
