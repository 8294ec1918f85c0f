import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query, QueryResult } from '@rolecall/api';
import type { TestService } from './service.ts';

type RowsResult = Extract<QueryResult, { type: 'query' }>;

/** Runs commands through the API and asks what has become of them. */
export function queryHelpers(service: Pick<TestService, 'ok'>) {
  const get = (id: string) => service.ok<Query>('GET', `/query/${id}`);
  const result = (id: string, index: number) => service.ok<QueryResult>('GET', `/query/${id}/result/${index}`);
  const execute = async (dataSource: string, ...commands: string[]): Promise<string> => {
    const answer = await service.ok('POST', `/data-source/${dataSource}/execute`, { json: { commands } });
    return String(answer['queryId']);
  };
  const until = async (id: string, reached: (query: Query) => boolean): Promise<Query> => {
    const end = Date.now() + 60_000;
    for (;;) {
      const query = await get(id);
      if (reached(query)) return query;
      if (Date.now() > end) throw new Error(`the query stayed ${JSON.stringify(query)}`);
      await sleep(5);
    }
  };
  const completed = (id: string) => until(id, ({ completedAt }) => completedAt !== null);
  return {
    get,
    result,
    execute,
    until,
    completed,
    started: (id: string) => until(id, ({ startedAt }) => startedAt !== null),
    /** Runs commands to their end; gives the query and all its results. */
    run: async (dataSource: string, ...commands: string[]): Promise<{ query: Query; results: QueryResult[] }> => {
      const query = await completed(await execute(dataSource, ...commands));
      const results: QueryResult[] = [];
      for (let index = 0; index < (query.numResults ?? 0); index += 1) results.push(await result(query.id, index));
      return { query, results };
    },
    rows: (id: string, index: number, search = '') =>
      service.ok<(string | null)[][]>('GET', `/query/${id}/result/${index}/rows${search}`),
    /** Waits for a result of rows that has at least some. */
    untilRows: async (id: string, index: number, atLeast: number): Promise<RowsResult> => {
      await until(id, ({ numResults }) => (numResults ?? 0) > index);
      for (;;) {
        const found = await result(id, index);
        if (found.type !== 'query') throw new Error(`result ${index} is ${JSON.stringify(found)}`);
        if (found.detail.numRows >= atLeast) return found;
        await sleep(5);
      }
    },
  };
}

/** Makes an empty SQLite file, which connections do not make; gives the URI for it. */
export async function emptySqlite(folder: string): Promise<string> {
  const file = path.join(folder, 'target.db');
  await writeFile(file, '');
  return `sqlite://${file}`;
}

/** The message of a result of type error. */
export function errorOf(result: QueryResult | undefined): string {
  if (result?.type !== 'error') throw new Error(`no error: ${JSON.stringify(result)}`);
  return result.detail.error;
}
