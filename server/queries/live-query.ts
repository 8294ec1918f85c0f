import type { Query, QueryResult } from '@rolecall/api';
import { updateQuery } from '../store/query.ts';
import { saveQueryResult } from '../store/query-result.ts';
import type { Store } from '../store/store.ts';

type NewResult = Pick<QueryResult, 'type' | 'startedAt' | 'completedAt' | 'detail'>;

/** Values that a query needs from the start. */
export interface LiveQueryInit {
  readonly id: string;
  readonly createdAt: string;
  readonly dataSource: string;
  /** API key or person that asked for the query. */
  readonly asker: string;
  /** The memory that the query's commands take, in bytes. */
  readonly bytes: number;
}

/**
 * A query of this process that is not complete. Its state is here first and reaches the store a little later. Its
 * outcome is the exception: readers get it only once the store has it.
 */
export class LiveQuery {
  readonly dataSource: string;
  readonly asker: string;
  readonly bytes: number;
  readonly query: Query;
  readonly results: QueryResult[] = [];
  readonly abort = new AbortController();
  /** True if the store has the query. */
  stored = false;
  /** Settles when the query is complete or given up; never rejects. */
  done: Promise<void> = Promise.resolve();
  /** Results that the store does not have in their present state. */
  readonly #changed = new Set<QueryResult>();
  #saving: Promise<void> | undefined;

  constructor({ id, createdAt, dataSource, asker, bytes }: LiveQueryInit) {
    this.dataSource = dataSource;
    this.asker = asker;
    this.bytes = bytes;
    this.query = { id, createdAt, startedAt: null, completedAt: null, success: null, numResults: null };
  }

  get id(): string {
    return this.query.id;
  }

  get #stopReason(): string | null {
    const reason: unknown = this.abort.signal.reason;
    return reason instanceof Error ? reason.message : null;
  }

  /** Adds a result, the next in order. */
  addResult(result: NewResult): QueryResult {
    const numbered = { queryId: this.id, ordinalPosition: this.results.length, ...result } as QueryResult;
    this.results.push(numbered);
    this.query.numResults = this.results.length;
    this.#changed.add(numbered);
    return numbered;
  }

  /** Replaces a result that turned out to be of another type. */
  replaceResult(previous: QueryResult, result: NewResult): void {
    const { queryId, ordinalPosition } = previous;
    const numbered = { queryId, ordinalPosition, ...result } as QueryResult;
    this.results[ordinalPosition] = numbered;
    this.#changed.delete(previous);
    this.#changed.add(numbered);
  }

  markChanged(result: QueryResult): void {
    this.#changed.add(result);
  }

  /**
   * Writes all changes to the store. Writes nothing if the query was deleted, or if another replica completed it after
   * its lease expired.
   *
   * @param runner the id of this process
   * @param query the query's own state; only the last write has another one than `this.query`
   * @throws StoreUnavailableError; the changes are then kept for the next write
   */
  async save(store: Store, runner: string, query: Query = this.query): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    try {
      await store.write([], async (executor) => {
        if (!(await updateQuery(executor, query, runner, this.#stopReason))) return;
        for (const result of changed) await saveQueryResult(executor, result);
      });
    } catch (error) {
      for (const result of changed) {
        // A result that was replaced in the meantime would overwrite its replacement.
        if (this.results[result.ordinalPosition] === result) this.#changed.add(result);
      }
      throw error;
    }
  }

  /**
   * Saves in the background, so that no database waits for the store's disk. While one write runs, the next one gathers
   * changes. A later write makes up for one that fails.
   */
  saveSoon(store: Store, runner: string): void {
    this.#saving ??= this.#saveUntilUnchanged(store, runner).finally(() => {
      this.#saving = undefined;
    });
  }

  /** Waits for the write that runs in the background. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  async #saveUntilUnchanged(store: Store, runner: string): Promise<void> {
    await new Promise(setImmediate);
    try {
      do {
        await this.save(store, runner);
      } while (this.#changed.size > 0);
    } catch {
      // The last write of the query has every change again.
    }
  }
}
