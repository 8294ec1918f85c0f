import type { QueryResult } from '@rolecall/api';
import { type Fields, rowOf } from './columns.ts';
import { findWith, listBy, runWith } from './operations.ts';
import type { Executor } from './store.ts';

const columns = [
  'query_id as queryId',
  'ordinal as ordinalPosition',
  'type',
  'started_at as startedAt',
  'completed_at as completedAt',
  'detail',
] as const;

type Row = Fields<'query_result', typeof columns>;

const save = runWith<Row>((db, result) =>
  db
    .insertInto('query_result')
    .values(rowOf(columns, result))
    .onConflict((conflict) =>
      conflict
        .columns(['query_id', 'ordinal'])
        .doUpdateSet({ type: result.type, completed_at: result.completedAt, detail: result.detail }),
    ),
);

const byOrdinal = findWith<{ query: string; ordinal: number }>()((db, { query, ordinal }) =>
  db.selectFrom('query_result').select(columns).where('query_id', '=', query).where('ordinal', '=', ordinal),
);

/** Stores a result, or its new state. Its query must be there. */
export async function saveQueryResult(executor: Executor, result: QueryResult): Promise<void> {
  await save(executor, { ...result, detail: JSON.stringify(result.detail) });
}

export async function findQueryResult(
  executor: Executor,
  query: string,
  ordinal: number,
): Promise<QueryResult | undefined> {
  const row = await byOrdinal(executor, { query, ordinal });
  return row && fromRow(row);
}

/** The results of a query, in their order. */
export const selectQueryResults = listBy(
  ['query'],
  (db, { query }) => db.selectFrom('query_result').select(columns).where('query_id', '=', query).orderBy('ordinal'),
  fromRow,
);

/** The service writes only results into the table. */
function fromRow(row: Row): QueryResult {
  return { ...row, detail: JSON.parse(row.detail) as unknown } as QueryResult;
}
