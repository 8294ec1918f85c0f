import { JsonBytes, JsonStream } from './json-answer.ts';
import { type List, readList } from './pages.ts';
import { readCollectionVersion } from './store/collection-version.ts';
import type { Pages } from './store/pages.ts';
import type { Collection, Store } from './store/store.ts';

/** The lists of whole collections. */
export interface Lists {
  /** @param ofDataSource the part of the list that belongs to a data source: all that a key limited to data sources gets */
  list(
    collection: Collection,
    pages: Pages<unknown>,
    ofDataSource?: (dataSource: string) => Pages<unknown>,
  ): Promise<JsonBytes | JsonStream>;
}

interface Entry {
  revision: number | undefined;
  readonly version: number;
  /** Undefined for a list that is too long to be kept: it is streamed to each client. */
  readonly answer: JsonBytes | undefined;
  /** Position of its last use in the order of all uses. */
  used: number;
}

/** The state of a collection. */
type Seen = Pick<Entry, 'revision' | 'version'>;

/** A longer list is not kept. To make the entity tag of one, which cannot be done in parts, takes some milliseconds. */
const mostKept = 8 * 1024 * 1024;

/** Attempts to read a list that changes between two of its pages. */
const mostAttempts = 3;

/**
 * Keeps the lists of whole collections as the bytes that they are answered with. Rows are read only when the collection has
 * changed since the last time, by any process, and once for all who ask meanwhile.
 */
export class ListCache implements Lists {
  readonly #store: Pick<Store, 'read'>;
  readonly #maxBytes: number;
  readonly #entries = new Map<Collection, Entry>();
  #uses = 0;
  readonly #reading = new Map<Collection, { readonly version: number; readonly entry: Promise<Entry> }>();

  /** @param maxBytes what all kept lists together may take; the one that was used least recently goes first */
  constructor(store: Pick<Store, 'read'>, maxBytes: number) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  async list(collection: Collection, pages: Pages<unknown>): Promise<JsonBytes | JsonStream> {
    const { version, answer } = await this.#current(collection, pages);
    if (answer !== undefined) return answer;
    return toJson(await readList(this.#store.read, [pages], { mostBytes: 0, state: `${collection} ${version}` }));
  }

  async #current(collection: Collection, pages: Pages<unknown>): Promise<Entry> {
    const kept = this.#entries.get(collection);
    const now = await this.#store.read(async (executor) => {
      const { revision } = executor;
      if (kept !== undefined && revision !== undefined && kept.revision === revision) return kept;
      return { revision, version: await readCollectionVersion(executor, collection) };
    });
    if (kept?.version === now.version) {
      kept.revision = now.revision;
      kept.used = this.#uses += 1;
      return kept;
    }
    const reading = this.#reading.get(collection);
    if (reading?.version === now.version) return reading.entry;
    const entry = this.#read(collection, pages, now);
    this.#reading.set(collection, { version: now.version, entry });
    return entry.finally(() => {
      if (this.#reading.get(collection)?.entry === entry) this.#reading.delete(collection);
    });
  }

  /** @param seen read before the rows: a change in between makes the entry look older than it is, which costs one more reading */
  async #read(collection: Collection, pages: Pages<unknown>, seen: Seen): Promise<Entry> {
    for (let attempt = 1, snapshot = seen; ; attempt += 1) {
      const list = await readList(this.#store.read, [pages], { mostBytes: mostKept });
      // The rows of one page belong together. Those of several may show a name twice that passed from one object to another.
      const mayBeMixed = list instanceof JsonBytes && attempt < mostAttempts;
      const version = mayBeMixed ? await this.#versionOf(collection) : snapshot.version;
      if (version === snapshot.version) return this.#keep(collection, snapshot, toJson(list));
      snapshot = { revision: undefined, version };
    }
  }

  async #versionOf(collection: Collection): Promise<number> {
    return this.#store.read((executor) => readCollectionVersion(executor, collection));
  }

  #keep(collection: Collection, seen: Seen, list: JsonBytes | JsonStream): Entry {
    if (list instanceof JsonStream) list.stream.destroy();
    const entry: Entry = { ...seen, answer: list instanceof JsonBytes ? list : undefined, used: (this.#uses += 1) };
    this.#entries.set(collection, entry);
    let total = 0;
    for (const { answer } of this.#entries.values()) total += answer?.bytes.length ?? 0;
    const oldestFirst = [...this.#entries].toSorted(([, a], [, b]) => a.used - b.used);
    for (const [oldest, { answer }] of oldestFirst) {
      if (total <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      total -= answer?.bytes.length ?? 0;
    }
    return entry;
  }
}

function toJson(list: List<unknown>): JsonBytes | JsonStream {
  return Array.isArray(list) ? new JsonBytes(Buffer.from(JSON.stringify(list))) : list;
}

/** The lists of a key that is limited to data sources. They are not kept: no other key is to get them. */
export function limitedLists(store: Pick<Store, 'read'>, dataSources: ReadonlySet<string>): Lists {
  return {
    list: async (collection, _pages, ofDataSource) => {
      if (ofDataSource === undefined) {
        throw new Error(`the list ${collection} does not say what belongs to a data source`);
      }
      return toJson(await readList(store.read, [...dataSources].map(ofDataSource)));
    },
  };
}
