import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MyQuery } from '@rolecall/api';
import { type InferResult, type Kysely, sql } from 'kysely';
import { findBy, listBy, runWith } from './operations.ts';
import { dataSourceColumns } from './references.ts';
import { statement } from './statement.ts';
import { type Executor, first, type Store } from './store.ts';
import type { Tables } from './tables.ts';

const insert = runWith<{ query: string; ordinal: number; text: string }>((db, { query, ordinal, text }) =>
  db.insertInto('query_command').values({ query_id: query, ordinal, text }),
);

/** Keeps what a query of a person runs. It goes with the query. */
export async function insertCommands(executor: Executor, query: string, commands: readonly string[]): Promise<void> {
  for (const [ordinal, text] of commands.entries()) await insert(executor, { query, ordinal, text });
}

/** Commands of a query, in order. */
export const selectCommands = listBy(
  ['query'],
  (db, { query }) => db.selectFrom('query_command').select('text').where('query_id', '=', query).orderBy('ordinal'),
  ({ text }) => text,
);

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('query')
    .innerJoin('data_source', 'data_source.id', 'query.data_source_id')
    .leftJoin('query_command', (join) => join.onRef('query_command.query_id', '=', 'query.id').on('ordinal', '=', 0))
    .select([
      'query.id',
      'query.created_at as createdAt',
      'started_at as startedAt',
      'completed_at as completedAt',
      'success',
      'num_results as numResults',
      'stop_reason as stopReason',
      ...dataSourceColumns,
      'editor_id as editor',
      'tab_id as tab',
      sql<string | null>`substr(query_command.text, 1, 500)`.as('beginning'),
    ]);

/** A query of this person's. */
export const findMyQuery = findBy(
  ['id', 'person'],
  (db, { id, person }) => shown(db).where('query.id', '=', id).where('query.person_id', '=', person),
  myQuery,
);

/** Queries that a search looks at, and the number of them before other work has its turn: their texts may be long. */
const [mostSearched, searchedAtOnce] = [10_000, 50];

type Before = { person: string; at: string; id: string; limit: number };

/** The newest of a person's queries that are older than a place in their order, by the index of that order. */
function olderThan(db: Kysely<Tables>, { person, at, id, limit }: Before) {
  return db
    .selectFrom('query')
    .where('query.person_id', '=', person)
    .where('query.created_at', '<=', at)
    .where((eb) => eb.or([eb('query.created_at', '<', at), eb('query.id', '<', id)]))
    .orderBy('query.created_at', 'desc')
    .orderBy('query.id', 'desc')
    .limit(limit);
}

const page = statement<Before>()((db, parameters) =>
  shown(db)
    .where('query.id', 'in', olderThan(db, parameters).select('query.id'))
    .orderBy('query.created_at', 'desc')
    .orderBy('query.id', 'desc'),
);

/** Of one editor, among the newest: a person may have run far more elsewhere. */
const inEditorBefore = statement<Before & { editor: string }>()((db, { person, editor, at, id, limit }) => {
  const newest = olderThan(db, { person, at, id, limit: mostSearched }).selectAll('query').as('query');
  const ids = db.selectFrom(newest).select('query.id').where('query.editor_id', '=', editor);
  const ordered = ids.orderBy('query.created_at', 'desc').orderBy('query.id', 'desc').limit(limit);
  return shown(db).where('query.id', 'in', ordered).orderBy('query.created_at', 'desc').orderBy('query.id', 'desc');
});

const placesBefore = statement<Before>()((db, parameters) =>
  olderThan(db, parameters).select([
    'query.id',
    'query.created_at as at',
    'data_source_id as dataSource',
    'editor_id as editor',
  ]),
);

const position = statement<{ person: string; id: string }>()((db, { person, id }) =>
  db.selectFrom('query').select(['created_at as at', 'id']).where('id', '=', id).where('person_id', '=', person),
);

/** Later than any query was made. */
const newest = { at: '9999', id: '' };

interface Wanted {
  readonly person: string;
  /** Only queries that were run in this editor; undefined: all. */
  readonly editor: string | undefined;
  /** Only queries that are older than this one; undefined: all. */
  readonly older: string | undefined;
  readonly limit: number;
}

/** The queries of a person, the newest first. */
export async function selectMyQueries(
  executor: Executor,
  { person, editor, older, limit }: Wanted,
): Promise<MyQuery[]> {
  const from = await placeOf(executor, person, older);
  if (from === undefined) return [];
  const wanted = { person, limit, ...from };
  const rows = await (editor === undefined
    ? executor.all(page, wanted)
    : executor.all(inEditorBefore, { ...wanted, editor }));
  return rows.map(myQuery);
}

/**
 * The queries of a person whose commands contain a text, the newest first. The case of the letters A to Z makes no difference.
 * Looks at the newest 10,000.
 *
 * @param sources the data sources whose queries are searched
 */
export async function searchMyQueries(
  read: Store['read'],
  { person, editor, older, limit, search, sources }: Wanted & { search: string; sources: ReadonlySet<string> },
): Promise<MyQuery[]> {
  const queries: MyQuery[] = [];
  let from = await read((executor) => placeOf(executor, person, older));
  for (let searched = 0; from !== undefined && searched < mostSearched; searched += searchedAtOnce) {
    const parameters = { person, limit: searchedAtOnce, at: from.at, id: from.id };
    const places = await read((executor) => executor.all(placesBefore, parameters));
    const wanted = places.filter((place) => sources.has(place.dataSource) && (editor ?? place.editor) === place.editor);
    const ids = wanted.map(({ id }) => id);
    if (ids.length > 0) queries.push(...(await read((executor) => selectMatching(executor, ids, search))));
    if (queries.length >= limit) break;
    from = places.length < searchedAtOnce ? undefined : places.at(-1);
    await nextTurn();
  }
  return queries.slice(0, limit);
}

/** Those of the queries whose commands contain a text. */
async function selectMatching(executor: Executor, ids: readonly string[], search: string): Promise<MyQuery[]> {
  const pattern = `%${search.replaceAll(/[!%_]/g, '!$&')}%`;
  const rows = await shown(executor.db)
    .where('query.id', 'in', ids)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('query_command as searched')
          .select('searched.ordinal')
          .whereRef('searched.query_id', '=', 'query.id')
          .where(sql<boolean>`lower(searched.text) like lower(${pattern}) escape '!'`),
      ),
    )
    .orderBy('query.created_at', 'desc')
    .orderBy('query.id', 'desc')
    .execute();
  return rows.map(myQuery);
}

/** @returns undefined where the older query is not there */
function placeOf(executor: Executor, person: string, older: string | undefined) {
  return older === undefined ? Promise.resolve(newest) : first(executor, position, { person, id: older });
}

type Row = InferResult<ReturnType<typeof shown>>[number];

function myQuery({ success, stopReason, dataSourceId, dataSourceName, alias, ...row }: Row): MyQuery {
  return {
    ...row,
    success: success === null ? null : success !== 0,
    // Some succeed before the request to stop them arrives.
    stopReason: success === 0 ? stopReason : null,
    dataSource: { id: dataSourceId, name: dataSourceName, alias },
  };
}
