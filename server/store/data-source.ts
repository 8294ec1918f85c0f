import type { DataSource, DataSourceReference } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { rowOf } from './columns.ts';
import { holdsAt } from './membership-window.ts';
import { findBy, runBy, runWith } from './operations.ts';
import { type Pages, pageRows, rowPages, tablePages } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const reference = ['data_source.id', 'data_source.name', 'data_source.alias'] as const;
const rest = ['type', 'shown_uri as configUri', 'created_at as createdAt', 'updated_at as updatedAt'] as const;
const written = ['name', 'alias', 'type', 'sealed_uri as sealedUri', 'shown_uri as configUri'] as const;

/** A data source with the whole of its connection URI, which only the service's seal opens. */
export interface SealedDataSource extends DataSource {
  sealedUri: Uint8Array;
}

/** @throws UniqueError for `data_source.alias` */
export const insertDataSource = runWith<SealedDataSource>((db, source) =>
  db
    .insertInto('data_source')
    .values({ ...rowOf(written, source), id: source.id, created_at: source.createdAt, updated_at: source.createdAt }),
);

/** @throws UniqueError for `data_source.alias` */
export const updateDataSource = runWith<SealedDataSource>((db, source) =>
  db
    .updateTable('data_source')
    .set({ ...rowOf(written, source), updated_at: source.updatedAt })
    .where('id', '=', source.id),
);

export const findDataSource = findBy(['id'], (db, { id }) =>
  db
    .selectFrom('data_source')
    .select([...reference, ...rest])
    .where('id', '=', id),
);

export const findSealedDataSource = findBy(['id'], (db, { id }) =>
  db
    .selectFrom('data_source')
    .select([...reference, ...rest, 'sealed_uri as sealedUri'])
    .where('id', '=', id),
);

/** The sealed connection URIs of those of these data sources that there are. */
export function selectSealedUris(
  executor: Executor,
  ids: readonly string[],
): Promise<Pick<SealedDataSource, 'id' | 'sealedUri'>[]> {
  return executor.db
    .selectFrom('data_source')
    .select(['id', 'sealed_uri as sealedUri'])
    .where('id', 'in', ids)
    .execute();
}

/** The data sources after a number, in the order of creation. */
export const listDataSources = (db: Kysely<Tables>, after: number) =>
  db
    .selectFrom('data_source')
    .select([...reference, ...rest, 'seq'])
    .where('seq', '>', after)
    .orderBy('seq');

/** The identifier of the data source with this alias. */
export const findDataSourceByAlias = findBy(
  ['alias'],
  (db, { alias }) => db.selectFrom('data_source').select('id').where('alias', '=', alias),
  ({ id }) => id,
);

export const deleteDataSource = runBy(['id'], (db, { id }) => db.deleteFrom('data_source').where('id', '=', id));

/** Through a role, or through a permission that is active; each once, in the order of creation. */
const reachable = statement<{ person: string; now: string; after: number }>()((db, { person, now, after }) =>
  db
    .selectFrom('data_source')
    .select([...reference, 'data_source.seq'])
    .where('data_source.seq', '>', after)
    .where((eb) =>
      eb.or([
        eb(
          'data_source.id',
          'in',
          eb
            .selectFrom('role_person')
            .innerJoin('role_data_source', 'role_data_source.role_id', 'role_person.role_id')
            .select('role_data_source.data_source_id')
            .where('role_person.person_id', '=', person)
            .where(holdsAt(now)),
        ),
        eb(
          'data_source.id',
          'in',
          eb
            .selectFrom('permission')
            .select('permission.data_source_id')
            .where('permission.person_id', '=', person)
            .where('permission.starts_at', '<=', now)
            .where('permission.expires_at', '>', now),
        ),
      ]),
    )
    .orderBy('data_source.seq')
    .limit(pageRows),
);

export const dataSourcePages = tablePages(listDataSources, ({ seq: _order, ...row }) => row);

/** Lists the data sources that a person can reach at a time. */
export function reachablePages(person: string, now: string): Pages<DataSourceReference> {
  return rowPages(reachable, { person, now }, ({ id, name, alias }) => ({ id, name, alias }));
}

const sealedUris = statement()((db) => db.selectFrom('data_source').select(['id', 'sealed_uri as sealedUri']));

const updateSealedUri = statement<{ id: string; sealedUri: Uint8Array }>()((db, { id, sealedUri }) =>
  db.updateTable('data_source').set({ sealed_uri: sealedUri }).where('id', '=', id),
);

/** Seals every connection URI anew. @param reseal gives undefined for one that stays as it is */
export async function resealUris(
  executor: Executor,
  reseal: (sealedUri: Uint8Array, id: string) => Uint8Array | undefined,
): Promise<number> {
  const resealed = (await executor.all(sealedUris, {})).flatMap(({ id, sealedUri }) => {
    const anew = reseal(sealedUri, id);
    return anew === undefined ? [] : [{ id, sealedUri: anew }];
  });
  // Not one after the other: PostgreSQL takes them without a round trip for each.
  await Promise.all(resealed.map(async (row) => executor.all(updateSealedUri, row)));
  return resealed.length;
}
