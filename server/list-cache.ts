import { type Pages, readPages } from './pages.ts';
import { ReadyMade, ReadyStream } from './ready-made.ts';
import { readCollectionVersion } from './store/collection-version.ts';
import type { Collection, Executor, MaybePromise, Store } from './store/store.ts';

/** Keeps the lists of whole collections as the bytes that they are answered with. */
export interface ListCache {
  /**
   * The list of a collection as it is now. Its rows are read only when the collection has changed since the last time,
   * whichever process changed it.
   *
   * @param selectOf the part of the list that belongs to a data source: all that a key that is limited to some gets
   */
  list(
    collection: Collection,
    select: (executor: Executor) => MaybePromise<readonly unknown[]>,
    selectOf?: (executor: Executor, dataSource: string) => MaybePromise<readonly unknown[]>,
  ): Promise<ReadyMade>;
  /** The same for rows with long texts; a list that is large is streamed, and not kept. */
  listPages(collection: Collection, pages: Pages<unknown>): Promise<ReadyMade | ReadyStream>;
}

interface Entry {
  revision: number | undefined;
  version: number;
  answer: ReadyMade;
}

/** @param maxBytes what all kept lists together may take; the one that was used least recently goes first */
export function createListCache(store: Store, maxBytes: number): ListCache {
  // In the order of use: a Map keeps the order in which its keys were put in.
  const entries = new Map<Collection, Entry>();

  function keep(collection: Collection, entry: Entry): void {
    use(collection, entry);
    let total = 0;
    for (const { answer } of entries.values()) total += answer.bytes.length;
    for (const [oldest, { answer }] of entries) {
      if (total <= maxBytes) return;
      entries.delete(oldest);
      total -= answer.bytes.length;
    }
  }

  function use(collection: Collection, entry: Entry): ReadyMade {
    entries.delete(collection);
    entries.set(collection, entry);
    return entry.answer;
  }

  async function list<T extends ReadyStream>(
    collection: Collection,
    select: (executor: Executor, version: number) => MaybePromise<readonly unknown[] | T>,
  ): Promise<ReadyMade | T> {
    return store.read(async (executor) => {
      const { revision } = executor;
      const kept = entries.get(collection);
      if (kept !== undefined && revision !== undefined && kept.revision === revision) return use(collection, kept);
      // Before the rows: a change between the two makes the entry look older than it is, which only costs a reading.
      const version = await readCollectionVersion(executor, collection);
      if (kept?.version === version) {
        kept.revision = revision;
        return use(collection, kept);
      }
      const rows = await select(executor, version);
      if (rows instanceof ReadyStream) return rows;
      const answer = new ReadyMade(Buffer.from(JSON.stringify(rows)));
      keep(collection, { revision, version, answer });
      return answer;
    });
  }

  return {
    list: (collection, select) => list<never>(collection, select),
    listPages: (collection, pages) =>
      list<ReadyStream>(collection, (executor, version) =>
        readPages(store.read, executor, pages, `${collection} ${version}`),
      ),
  };
}

/** The lists of a key that is limited to data sources. They are not kept: no other key is to get them. */
export function limitedLists(store: Pick<Store, 'read'>, dataSources: ReadonlySet<string>): ListCache {
  return {
    list: async (collection, _select, selectOf) => {
      if (selectOf === undefined) throw new Error(`the list ${collection} does not say what belongs to a data source`);
      const rows: unknown[] = [];
      await store.read(async (executor) => {
        for (const id of dataSources) rows.push(...(await selectOf(executor, id)));
      });
      return new ReadyMade(Buffer.from(JSON.stringify(rows)));
    },
    listPages: (collection) =>
      Promise.reject(new Error(`the list ${collection} does not say what belongs to a data source`)),
  };
}
