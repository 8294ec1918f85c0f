import { randomUUID } from 'node:crypto';
import type { ConnectionUri, Query, QueryResult } from '@rolecall/api';
import type { ReadyMade, ReadyStream } from '../ready-made.ts';
import { Refusal } from '../refusal.ts';
import type { Page, ResultId } from '../spool/spool.ts';
import { findQuery, findQueryDataSource, insertQuery, requestStopOf } from '../store/query.ts';
import { findQueryResult } from '../store/query-result.ts';
import type { Executor } from '../store/store.ts';
import { createLeases, defaultLease } from './leases.ts';
import { createLiveQuery, type LiveQuery } from './live-query.ts';
import { cleanUp, keepUp, sweep } from './maintenance.ts';
import { cancelAllRemotely, cancelRemotely } from './remote-cancel.ts';
import { type RunParts, runQuery } from './run-query.ts';
import { createSlots, type Slots, shareOf } from './slots.ts';
import { startTicker } from './ticker.ts';
import { watchEvery, watchQueries } from './watch.ts';

/** The queries of a workspace: runs them, and knows what has become of them. */
export interface Queries {
  /** How many of this process a database works on, and how many wait for their turn. */
  readonly counts: Slots['counts'];
  /**
   * Stores a query and begins it in the background.
   *
   * @param begin inserts the query in a write of its own making, and gives the answer; where it does not insert it,
   *   nothing is begun
   * @throws Refusal unavailable where too many wait, or the service is closing; too_many_requests where too many of them
   *   are of the same key
   */
  execute: <T>(query: ToExecute, begin: (query: NewQuery) => Promise<T>) => Promise<T>;
  find: (id: string) => Promise<Query | undefined>;
  findResult: (id: string, index: number) => Promise<QueryResult | undefined>;
  /** The identifier of the data source that a query runs on. */
  dataSourceOf: (id: string) => Promise<string | undefined>;
  /** A page of the rows of a result. @throws SpoolGoneError where the query was deleted meanwhile */
  readRows: (result: ResultId, page: Page) => Promise<ReadyMade | ReadyStream>;
  /**
   * Ends a query, at whichever replica it runs, and waits until the database has stopped, or until so long that the
   * replica must have died; nothing for one that is complete.
   */
  cancel: (id: string) => Promise<void>;
  /**
   * Deletes a query and its rows; one that runs is cancelled before.
   *
   * @param erase deletes it from the store
   */
  remove: (id: string, erase: () => Promise<void>) => Promise<void>;
  /**
   * Cancels what other replicas run on a data source that is about to be deleted, and waits until the database has stopped:
   * afterwards nothing is left to see that by.
   *
   * @param write runs what asks them to, in a write of its own
   */
  vacate: (
    dataSource: string,
    write: (ask: (executor: Executor) => Promise<string[]>) => Promise<string[]>,
  ) => Promise<void>;
  /** Cancels what runs on a data source that was deleted, and removes the rows of its queries. */
  forget: (dataSource: string, ids: readonly string[]) => Promise<void>;
  /** Cancels what runs and takes no more. Bounded in time. */
  close: () => Promise<void>;
}

/** What is to be executed. */
export interface ToExecute {
  readonly dataSource: string;
  readonly commands: readonly string[];
  /** The id of the API key that asks for it. */
  readonly key: string;
}

/** A query that is about to be stored. */
export interface NewQuery {
  readonly id: string;
  readonly createdAt: string;
  /** Stores it. @param uri where its commands will run */
  readonly insert: (executor: Executor, uri: ConnectionUri) => Promise<void>;
}

export interface QueriesOptions extends Omit<RunParts, 'slots' | 'leases' | 'runner'> {
  /** How long completed queries are kept, in seconds; 0 for ever. */
  readonly retentionSeconds: number;
  /** How many may run at a time; more wait. */
  readonly concurrency: number;
  /** How long a process may be silent before its queries count as abandoned, in milliseconds. */
  readonly leaseMs?: number | undefined;
}

/** How many queries may wait: their commands are in memory only. */
const mostWaiting = 256;

/** The memory that the commands of all queries may take, of those that run too, in bytes. */
const mostBytes = 128 * 1024 * 1024;

/** How long queries may take to stop when the service does, in milliseconds. */
const closingLimit = 10_000;

const sourceDeleted = 'the data source was deleted';

/** How many renewals of the leases come between two sweeps. */
const sweepEvery = 12;

/** Puts right what a process that died has left, and takes queries from then on. */
export async function startQueries({
  retentionSeconds,
  concurrency,
  leaseMs = defaultLease,
  ...given
}: QueriesOptions): Promise<Queries> {
  const { store, clock, spool, onError } = given;
  const live = new Map<string, LiveQuery>();
  const leases = createLeases(live, leaseMs, store.replicas !== undefined);
  const runner = randomUUID();
  const parts: RunParts = { ...given, runner, leases, slots: createSlots(concurrency) };
  const upkeep = { store, clock, spool, retentionSeconds, leases, runner };
  let closing = false;
  await cleanUp(upkeep);
  let turns = 0;
  const tickers = [
    startTicker(
      leases.renewEvery,
      async () => {
        await keepUp(upkeep);
        turns += 1;
        if (turns % sweepEvery === 0) await sweep(upkeep);
      },
      onError,
    ),
  ];
  if (store.replicas !== undefined) {
    const watch = () => watchQueries(store, leases, runner);
    store.replicas.onNotified(() => {
      // The ticker comes by soon, and reports what is wrong.
      watch().catch(() => undefined);
    });
    tickers.push(startTicker(watchEvery, watch, onError));
  }

  async function stop(queries: readonly LiveQuery[], reason: string): Promise<void> {
    for (const { abort } of queries) abort.abort(new Error(reason));
    await Promise.all(queries.map(({ done }) => done));
  }

  function assertRoom(key: string, bytes: number): void {
    const refuse = (code: 'unavailable' | 'too_many_requests', why: string): never => {
      throw new Refusal(code, `${why}; the query was not begun`, { headers: { 'retry-after': '1' } });
    };
    if (closing) refuse('unavailable', 'the service is closing');
    const [all, own] = [totalOf([...live.values()]), totalOf([...live.values()].filter((one) => one.key === key))];
    const most = concurrency + mostWaiting;
    if (all.count >= most || all.bytes + bytes > mostBytes)
      refuse('unavailable', 'too many queries wait for their turn');
    if (own.count >= shareOf(most) || own.bytes + bytes > shareOf(mostBytes)) {
      refuse('too_many_requests', 'too many queries of this API key run or wait for their turn');
    }
  }

  return {
    counts: parts.slots.counts,
    execute: async ({ dataSource, commands, key }, begin) => {
      // A character takes two bytes at most.
      const bytes = 2 * commands.reduce((sum, { length }) => sum + length, 0);
      assertRoom(key, bytes);
      const id = randomUUID();
      const begun = Promise.withResolvers<undefined>();
      const createdAt = clock().toISOString();
      const one = createLiveQuery(id, createdAt, { dataSource, key, bytes });
      one.done = begun.promise;
      // Before it is stored: who deletes its data source in the meantime must find it.
      live.set(id, one);
      const inserted: ConnectionUri[] = [];
      const insert: NewQuery['insert'] = async (executor, uri) => {
        const leaseUntil = leases.endAfter(await executor.now());
        await insertQuery(executor, { id, dataSource, createdAt, runner, leaseUntil });
        inserted.push(uri);
      };
      try {
        const leased = leases.begin(one);
        const answer = await begin({ id, createdAt, insert });
        leased();
        one.stored = true;
        const [uri] = inserted;
        if (uri === undefined) forgetLive();
        else void runQuery(one, uri, commands, parts).finally(forgetLive);
        return answer;
      } catch (error) {
        forgetLive();
        throw error;
      }

      function forgetLive(): void {
        live.delete(id);
        begun.resolve(undefined);
      }
    },
    find: async (id) => live.get(id)?.query ?? store.read((executor) => findQuery(executor, id)),
    findResult: async (id, index) => {
      const one = live.get(id);
      if (one !== undefined) return one.results[index];
      const result = await store.read((executor) => findQueryResult(executor, id, index));
      if (result?.type !== 'query' || result.completedAt !== null) return result;
      // It runs at another replica, which writes down only in the end how many there are.
      const numRows = await spool.count({ query: id, ordinal: index });
      return { ...result, detail: { ...result.detail, numRows } };
    },
    dataSourceOf: async (id) =>
      live.get(id)?.dataSource ?? (await store.read((executor) => findQueryDataSource(executor, id))),
    readRows: (result, page) => spool.read(result, page),
    cancel: async (id) => {
      const one = live.get(id);
      if (one === undefined) await cancelRemotely(store, id, 'cancelled');
      else await stop([one], 'cancelled');
    },
    remove: async (id, erase) => {
      const one = live.get(id);
      if (one === undefined) await cancelRemotely(store, id, 'deleted');
      else await stop([one], 'deleted');
      await erase();
      await spool.remove(id);
    },
    vacate: (dataSource, write) =>
      cancelAllRemotely(store, () =>
        write((executor) => requestStopOf(executor, { dataSource, runner, reason: sourceDeleted })),
      ),
    forget: async (dataSource, ids) => {
      const running = [...live.values()].filter((one) => one.dataSource === dataSource);
      // What other replicas have begun since they were asked is gone from the store: that is how they find out.
      store.replicas?.notify();
      await stop(running, sourceDeleted);
      for (const id of [...ids, ...running.map(({ query }) => query.id)]) await spool.remove(id);
    },
    close: async () => {
      closing = true;
      const limit = Promise.withResolvers<undefined>();
      const timer = setTimeout(limit.resolve, closingLimit, undefined);
      await Promise.race([stop([...live.values()], 'the service stopped'), limit.promise]);
      clearTimeout(timer);
      await Promise.all(tickers.map((ticker) => ticker.stop()));
    },
  };
}

function totalOf(queries: readonly LiveQuery[]): { count: number; bytes: number } {
  return { count: queries.length, bytes: queries.reduce((sum, { bytes }) => sum + bytes, 0) };
}
