import { randomUUID } from 'node:crypto';
import type { ConnectionUri, Query, QueryResult } from '@rolecall/api';
import { settleWithin } from '../databases/deadline.ts';
import type { JsonBytes, JsonStream } from '../json-answer.ts';
import { Slots } from '../slots.ts';
import type { Page, ResultId } from '../spool/spool.ts';
import { findQuery, findQueryDataSource, insertQuery, requestStopOf } from '../store/query.ts';
import { findQueryResult } from '../store/query-result.ts';
import type { Executor } from '../store/store.ts';
import { notBegun, requireCapacity } from './capacity.ts';
import { defaultLease, Leases } from './leases.ts';
import { LiveQuery } from './live-query.ts';
import { type MaintenanceParts, maintain, recover, startRenewals, sweepSpool } from './maintenance.ts';
import { cancelAllRemotely, cancelCheckEvery, cancelRemotely, stopCancelled } from './remote-cancel.ts';
import { type RunParts, runQuery } from './run-query.ts';
import { startTicker, type Ticker } from './ticker.ts';
import type { NewQuery, ToExecute } from './to-execute.ts';

export interface QueriesOptions extends Omit<RunParts, 'slots' | 'leases' | 'runner'> {
  /** Seconds for which completed queries are kept; 0 for ever. */
  readonly retentionSeconds: number;
  /** Queries that may run at a time; more wait. */
  readonly concurrency: number;
  /** Milliseconds that a process may be silent before its queries count as abandoned. */
  readonly leaseMs?: number | undefined;
}

/** Milliseconds that queries may take to stop when the service stops. */
const closeTimeout = 10_000;

/** Turns of the maintenance between two sweeps of the spool. */
const sweepEvery = 12;

const sourceDeleted = 'the data source was deleted';

/** Cleans up after processes that died, then accepts queries. */
export async function startQueries(options: QueriesOptions): Promise<Queries> {
  const queries = new Queries(options);
  await queries.start();
  return queries;
}

/** The queries of a workspace: runs them, and knows their state. */
export class Queries {
  readonly #live = new Map<string, LiveQuery>();
  readonly #runner = randomUUID();
  readonly #concurrency: number;
  readonly #leases: Leases;
  readonly #parts: RunParts;
  readonly #maintenance: MaintenanceParts;
  readonly #tickers: Ticker[] = [];
  #turns = 0;
  #closing = false;

  constructor({ retentionSeconds, concurrency, leaseMs = defaultLease, ...given }: QueriesOptions) {
    this.#concurrency = concurrency;
    this.#leases = new Leases(this.#live, leaseMs, given.store.replicas !== undefined);
    this.#parts = { ...given, runner: this.#runner, leases: this.#leases, slots: new Slots(concurrency) };
    this.#maintenance = { ...this.#parts, retentionSeconds };
  }

  /** Called once, by `startQueries`. */
  async start(): Promise<void> {
    const { store, onError } = this.#parts;
    await recover(this.#maintenance);
    this.#tickers.push(
      startRenewals(this.#maintenance, onError),
      startTicker(this.#leases.renewEvery, () => this.#maintain(), onError),
    );
    if (store.replicas === undefined) return;
    const check = () => stopCancelled(store, this.#leases, this.#runner);
    store.replicas.onNotified(() => {
      // The ticker checks again soon, and reports errors.
      check().catch(() => undefined);
    });
    this.#tickers.push(startTicker(cancelCheckEvery, check, onError));
  }

  /** Counts the queries of this process that run on a database, and those that wait for a slot. */
  counts(): { running: number; waiting: number } {
    return this.#parts.slots.counts();
  }

  /**
   * Stores a query and begins it in the background.
   *
   * @param begin inserts the query in a write of its own, and returns the answer; if it does not insert the query, nothing
   *   begins
   * @throws Refusal unavailable if too many queries wait or the service is closing; too_many_requests if too many of them
   *   belong to the same asker
   */
  async execute<T>(query: ToExecute, begin: (query: NewQuery) => Promise<T>): Promise<T> {
    const { dataSource, commands, bindings = {}, asker, owner, enter } = query;
    // A character takes at most two bytes.
    const bytes = 2 * [...commands, ...Object.values(bindings)].reduce((sum, text) => sum + (text?.length ?? 0), 0);
    this.#requireCapacity(asker, bytes);
    const createdAt = this.#parts.clock().toISOString();
    const liveQuery = new LiveQuery({ id: randomUUID(), createdAt, dataSource, asker, bytes });
    const ended = Promise.withResolvers<undefined>();
    liveQuery.done = ended.promise;
    let leave: (() => void) | undefined;
    const forget = (): void => {
      leave?.();
      this.#live.delete(liveQuery.id);
      ended.resolve(undefined);
    };
    // Before the query is stored: a request that deletes its data source in the meantime must find it.
    this.#live.set(liveQuery.id, liveQuery);
    try {
      leave = await enter?.(liveQuery.id, (reason) => {
        liveQuery.abort.abort(new Error(reason));
      });
      const { answer, uri } = await this.#store(liveQuery, begin, owner);
      if (uri === undefined) forget();
      else void runQuery(liveQuery, uri, { commands, bindings }, this.#parts).finally(forget);
      return answer;
    } catch (error) {
      forget();
      throw error;
    }
  }

  /**
   * Waits for a slot, for work on a database that is no query.
   *
   * @returns frees it
   * @throws the signal's reason if it aborts first; Refusal unavailable if the service is closing
   */
  async takeSlot(asker: string, signal: AbortSignal): Promise<() => void> {
    this.#requireCapacity(asker, 0);
    const { slots } = this.#parts;
    await slots.take(asker, signal);
    return () => {
      slots.release(asker);
    };
  }

  async find(id: string): Promise<Query | undefined> {
    return this.#live.get(id)?.query ?? this.#parts.store.read((executor) => findQuery(executor, id));
  }

  async findResult(id: string, index: number): Promise<QueryResult | undefined> {
    const query = this.#live.get(id);
    if (query !== undefined) return query.results[index];
    const result = await this.#parts.store.read((executor) => findQueryResult(executor, id, index));
    if (result?.type !== 'query' || result.completedAt !== null) return result;
    // The query runs at another replica, which stores the number of rows only at the end.
    const numRows = await this.#parts.spool.count({ query: id, ordinal: index });
    return { ...result, detail: { ...result.detail, numRows } };
  }

  /** The identifier of the data source that a query runs on. */
  async dataSourceOf(id: string): Promise<string | undefined> {
    const { store } = this.#parts;
    return this.#live.get(id)?.dataSource ?? store.read((executor) => findQueryDataSource(executor, id));
  }

  /** A page of the rows of a result. @throws SpoolGoneError if the query was deleted meanwhile */
  readRows(result: ResultId, page: Page): Promise<JsonBytes | JsonStream> {
    return this.#parts.spool.read(result, page);
  }

  /**
   * Ends a query, at whichever replica it runs, and waits until the database has stopped, or until it is clear that the
   * replica has died. Does nothing to a complete query.
   *
   * @param by who cancels it, where its reader does not know
   */
  async cancel(id: string, by?: string): Promise<void> {
    await this.#cancel(id, by === undefined ? 'cancelled' : `cancelled by ${by}`);
  }

  /**
   * Deletes a query and its rows. Cancels it first if it runs.
   *
   * @param erase deletes the query from the store
   */
  async remove(id: string, erase: () => Promise<void>): Promise<void> {
    await this.#cancel(id, 'deleted');
    await erase();
    await this.#parts.spool.remove(id);
  }

  /**
   * Cancels what other replicas run on a data source that is about to be deleted, and waits until the databases have
   * stopped. Once the data source is deleted, its queries can no longer be found.
   *
   * @param write runs the request in a write of its own
   */
  async vacate(
    dataSource: string,
    write: (request: (executor: Executor) => Promise<string[]>) => Promise<string[]>,
  ): Promise<void> {
    const stop = { dataSource, runner: this.#runner, reason: sourceDeleted };
    await cancelAllRemotely(this.#parts.store, () => write((executor) => requestStopOf(executor, stop)));
  }

  /** Cancels what runs on a data source that was deleted, and removes the rows of its queries. */
  async forget(dataSource: string, ids: readonly string[]): Promise<void> {
    const { store, spool } = this.#parts;
    const running = [...this.#live.values()].filter((live) => live.dataSource === dataSource);
    // Queries that other replicas began since `vacate` are gone from the store: that is how those replicas find out.
    store.replicas?.notify();
    await stop(running, sourceDeleted);
    for (const id of [...ids, ...running.map((live) => live.id)]) await spool.remove(id);
  }

  /** Cancels what runs and accepts no more queries. Bounded in time. */
  async close(): Promise<void> {
    this.#closing = true;
    await settleWithin(closeTimeout, stop([...this.#live.values()], 'the service stopped'));
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()));
  }

  /** @throws Refusal unavailable, too_many_requests */
  #requireCapacity(asker: string, bytes: number): void {
    if (this.#closing) throw notBegun('unavailable', 'the service is closing');
    requireCapacity([...this.#live.values()], { concurrency: this.#concurrency, asker, bytes });
  }

  async #maintain(): Promise<void> {
    await maintain(this.#maintenance);
    this.#turns += 1;
    if (this.#turns % sweepEvery === 0) await sweepSpool(this.#maintenance);
  }

  /** @returns with the answer, where the query will run; undefined if it was not inserted */
  async #store<T>(
    liveQuery: LiveQuery,
    begin: (query: NewQuery) => Promise<T>,
    owner: ToExecute['owner'],
  ): Promise<{ answer: T; uri: ConnectionUri | undefined }> {
    const { id, dataSource } = liveQuery;
    const { createdAt } = liveQuery.query;
    const inserted: { uri: ConnectionUri; leased: () => void }[] = [];
    const insert: NewQuery['insert'] = async (executor, uri) => {
      const leased = this.#leases.begin(liveQuery);
      const leaseUntil = this.#leases.endAfter(await executor.now());
      const whose = owner ?? { person: null, editor: null, tab: null };
      await insertQuery(executor, { id, dataSource, createdAt, runner: this.#runner, leaseUntil, ...whose });
      inserted.push({ uri, leased });
    };
    const answer = await begin({ id, createdAt, insert });
    // A write may run twice.
    const last = inserted.at(-1);
    last?.leased();
    liveQuery.stored = true;
    return { answer, uri: last?.uri };
  }

  async #cancel(id: string, reason: string): Promise<void> {
    const query = this.#live.get(id);
    if (query === undefined) await cancelRemotely(this.#parts.store, id, reason);
    else await stop([query], reason);
  }
}

async function stop(queries: readonly LiveQuery[], reason: string): Promise<void> {
  for (const { abort } of queries) abort.abort(new Error(reason));
  await Promise.all(queries.map(({ done }) => done));
}
