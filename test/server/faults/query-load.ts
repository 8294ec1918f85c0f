import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { Query } from '@rolecall/api';
import type { NewKey } from '@rolecall/server';
import { emptySqlite } from '../support/queries.ts';
import { temporaryFolder } from '../support/service.ts';
import { getJson, postJson } from './requests.ts';

/** Queries that each write a mark of their own into a SQLite file, one after the other. */
export interface QueryLoad {
  /** Executes until the service is gone. */
  run: (url: string, signal: AbortSignal) => Promise<void>;
  /** No query may be open, none may have run twice, and what is said to have succeeded must have. */
  verify: (url: string) => Promise<void>;
  count: () => number;
}

export async function startQueryLoad(url: string, key: NewKey): Promise<QueryLoad> {
  const configUri = await emptySqlite(await temporaryFolder());
  const file = configUri.replace('sqlite://', '');
  using target = new DatabaseSync(file);
  target.exec('CREATE TABLE mark (name INTEGER)');
  const { id: source } = await postJson<{ id: string }>(url, key, '/data-source', { name: 'Marks', configUri });
  /** Of marks since the last look: the query that wrote it, where its identifier was answered. */
  const queries = new Map<number, string | undefined>();
  let count = 0;

  return {
    run: async (where, signal) => {
      try {
        while (!signal.aborted) {
          const mark = count;
          count += 1;
          queries.set(mark, undefined);
          const commands = [`INSERT INTO mark VALUES (${mark})`];
          const { queryId } = await postJson<{ queryId: string }>(where, key, `/data-source/${source}/execute`, {
            commands,
          });
          queries.set(mark, queryId);
          for (let open = true; open; ) {
            open = (await getJson<Query>(where, key, `/query/${queryId}`)).completedAt === null;
          }
        }
      } catch (error) {
        // What the service answers instead of ending is no end.
        if (error instanceof Error && error.message.includes('answered')) throw error;
      }
    },
    verify: async (where) => {
      const left = [...queries];
      queries.clear();
      const states = await Promise.all(
        left.map(async ([mark, id]) => {
          if (id === undefined) return { mark, success: undefined };
          const { completedAt, success } = await getJson<Query>(where, key, `/query/${id}`);
          assert.notEqual(completedAt, null, 'a query was left open');
          return { mark, success };
        }),
      );
      using marks = new DatabaseSync(file, { timeout: 5000 });
      const times = marks.prepare('SELECT count(*) AS times FROM mark WHERE name = ?');
      for (const { mark, success } of states) {
        const written = Number(times.get(mark)?.['times']);
        assert.ok(written <= 1, `query ${mark} ran ${written} times`);
        if (success === true) assert.equal(written, 1, `query ${mark} succeeded without effect`);
      }
    },
    count: () => count,
  };
}
