import type { Query, QueryResult } from '@rolecall/api';
import { updateQuery } from '../store/query.ts';
import { saveQueryResult } from '../store/query-result.ts';
import type { Store } from '../store/store.ts';

/**
 * A query of this process that is not complete. What it has come to is here first and in the store a little later; what
 * it came to in the end is answered only when the store has it.
 */
export interface LiveQuery {
  readonly dataSource: string;
  /** The id of the API key that it runs for. */
  readonly key: string;
  /** The memory that its commands take, in bytes. */
  readonly bytes: number;
  readonly query: Query;
  readonly results: QueryResult[];
  /** Results that the store does not have as they are now. */
  readonly changed: Set<QueryResult>;
  readonly abort: AbortController;
  /** Whether the store has it. */
  stored: boolean;
  /** Settles when it is complete, or given up; never rejects. */
  done: Promise<void>;
  /** The write that is under way. */
  saving: Promise<void> | undefined;
}

export function createLiveQuery(
  id: string,
  createdAt: string,
  given: Pick<LiveQuery, 'dataSource' | 'key' | 'bytes'>,
): LiveQuery {
  return {
    ...given,
    query: { id, createdAt, startedAt: null, completedAt: null, success: null, numResults: null },
    results: [],
    changed: new Set(),
    abort: new AbortController(),
    stored: false,
    done: Promise.resolve(),
    saving: undefined,
  };
}

type NewResult = Pick<QueryResult, 'type' | 'startedAt' | 'completedAt' | 'detail'>;

/** Adds a result, the next in order. */
export function addResult(live: LiveQuery, result: NewResult): void {
  const numbered = { queryId: live.query.id, ordinalPosition: live.results.length, ...result } as QueryResult;
  live.results.push(numbered);
  live.query.numResults = live.results.length;
  live.changed.add(numbered);
}

/** Puts another result in the place of one that turned out to be of another type. */
export function replaceResult(live: LiveQuery, before: QueryResult, result: NewResult): void {
  const { queryId, ordinalPosition } = before;
  const numbered = { queryId, ordinalPosition, ...result } as QueryResult;
  live.results[ordinalPosition] = numbered;
  live.changed.delete(before);
  live.changed.add(numbered);
}

/**
 * Writes what has changed, all of it at once; does nothing for a query that was deleted, or that another replica has
 * completed since its lease had run out.
 *
 * @param runner this process
 * @throws StoreUnavailableError; then the changes are kept for the next time
 */
export async function saveChanges(live: LiveQuery, store: Store, runner: string): Promise<void> {
  const changed = [...live.changed];
  live.changed.clear();
  try {
    await store.write([], async (executor) => {
      if (!(await updateQuery(executor, live.query, runner))) return;
      for (const result of changed) await saveQueryResult(executor, result);
    });
  } catch (error) {
    for (const result of changed) {
      // One that was replaced in the meantime would be written over what replaced it.
      if (live.results[result.ordinalPosition] === result) live.changed.add(result);
    }
    throw error;
  }
}

/**
 * Writes what has changed in the background, so that no database waits for the store's disk: while one write is under
 * way, the next gathers. A write that fails is made up for by the next one.
 */
export function saveSoon(live: LiveQuery, store: Store, runner: string): void {
  if (live.saving !== undefined) return;
  live.saving = (async () => {
    try {
      await new Promise(setImmediate);
      do {
        await saveChanges(live, store, runner);
      } while (live.changed.size > 0);
    } catch {
      // The last write of the query has everything once more.
    } finally {
      live.saving = undefined;
    }
  })();
}
