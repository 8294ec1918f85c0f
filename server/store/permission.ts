import type { Permission, PermissionGrant, PermissionWindow } from '@rolecall/api';
import { type InferResult, type Kysely, sql } from 'kysely';
import { drawGap } from '../ids.ts';
import { batchSize, changeInBatches } from './batches.ts';
import { type Pages, pageRows, rowPages } from './pages.ts';
import { dataSourceColumns, dataSourceReference, personColumns, personReference } from './references.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';
import type { Tables } from './tables.ts';

const insert = statement<Omit<PermissionGrant, 'id'> & { person: string; dataSource: string; gap: number }>()(
  (db, permission) =>
    db
      .insertInto('permission')
      .values({
        // The lock of all writes is held, so that no other permission gets a smaller number later.
        id: sql<number>`(select coalesce(max(id), 0) from permission) + ${permission.gap}`,
        person_id: permission.person,
        data_source_id: permission.dataSource,
        starts_at: permission.startsAt,
        expires_at: permission.expiresAt,
        created_at: permission.createdAt,
      })
      .returning('id'),
);

const expanded = (db: Kysely<Tables>) =>
  db
    .selectFrom('permission')
    .innerJoin('person', 'person.id', 'permission.person_id')
    .innerJoin('data_source', 'data_source.id', 'permission.data_source_id')
    .select([
      'permission.id as seq',
      'permission.created_at as createdAt',
      'permission.starts_at as startsAt',
      'permission.expires_at as expiresAt',
      ...personColumns,
      ...dataSourceColumns,
    ]);

const byId = statement<{ id: bigint }>()((db, { id }) =>
  // The column is a number to Kysely; the parameter may be larger than one can say exactly.
  expanded(db).where('permission.id', '=', id as unknown as number),
);

const page = (db: Kysely<Tables>, after: number) =>
  expanded(db).where('permission.id', '>', after).orderBy('permission.id').limit(pageRows);

const list = statement<{ after: number }>()((db, { after }) => page(db, after));

const listOf = statement<{ dataSource: string; after: number }>()((db, { dataSource, after }) =>
  page(db, after).where('permission.data_source_id', '=', dataSource),
);

const window = [
  'id as seq',
  'person_id as personId',
  'data_source_id as dataSourceId',
  'starts_at as startsAt',
  'expires_at as expiresAt',
] as const;

const flat = (db: Kysely<Tables>, after: number) =>
  db.selectFrom('permission').select(window).where('id', '>', after).orderBy('id').limit(pageRows);

const ofPerson = statement<{ person: string; after: number }>()((db, { person, after }) =>
  flat(db, after).where('person_id', '=', person),
);

const ofDataSource = statement<{ dataSource: string; after: number }>()((db, { dataSource, after }) =>
  flat(db, after).where('data_source_id', '=', dataSource),
);

const ofPair = statement<{ person: string; dataSource: string; after: number }>()((db, { person, dataSource, after }) =>
  flat(db, after).where('person_id', '=', person).where('data_source_id', '=', dataSource),
);

const remove = statement<{ id: bigint }>()((db, { id }) =>
  db
    .deleteFrom('permission')
    .where('id', '=', id as unknown as number)
    .returning(window),
);

const removeSome = (db: Kysely<Tables>, limit: number) => {
  const some = db.selectFrom('permission').select('id').limit(limit);
  return (where: (query: typeof some) => typeof some) =>
    db.deleteFrom('permission').where('id', 'in', where(some)).returning(window);
};

/** @returns what was deleted */
export const deletePersonPermissions = changeInBatches(
  ['person'],
  batchSize.rows,
  (db, { person }, limit) => removeSome(db, limit)((some) => some.where('person_id', '=', person)),
  permissionWindow,
);

/** @returns what was deleted */
export const deleteDataSourcePermissions = changeInBatches(
  ['dataSource'],
  batchSize.rows,
  (db, { dataSource }, limit) => removeSome(db, limit)((some) => some.where('data_source_id', '=', dataSource)),
  permissionWindow,
);

/** @returns what was deleted */
export const deletePairPermissions = changeInBatches(
  ['person', 'dataSource'],
  batchSize.rows,
  (db, { person, dataSource }, limit) =>
    removeSome(db, limit)((some) => some.where('person_id', '=', person).where('data_source_id', '=', dataSource)),
  permissionWindow,
);

/** Stores a permission under a new number. */
export async function insertPermission(
  executor: Executor,
  { person, dataSource, ...grant }: Omit<PermissionGrant, 'id'> & { person: string; dataSource: string },
): Promise<PermissionGrant> {
  const row = await first(executor, insert, { person, dataSource, ...grant, gap: drawGap() });
  if (row === undefined) throw new Error('the store gave the new permission no number');
  return { id: String(row.id), ...grant };
}

const move = statement<{ id: bigint; startsAt: string; expiresAt: string }>()((db, { id, startsAt, expiresAt }) =>
  db
    .updateTable('permission')
    .set({ starts_at: startsAt, expires_at: expiresAt })
    .where('id', '=', id as unknown as number),
);

/** Moves the start and the end of a permission. */
export async function updatePermission(
  executor: Executor,
  { id, startsAt, expiresAt }: Pick<Permission, 'id' | 'startsAt' | 'expiresAt'>,
): Promise<void> {
  await executor.all(move, { id: BigInt(id), startsAt, expiresAt });
}

export async function findPermission(executor: Executor, id: string): Promise<Permission | undefined> {
  const row = await first(executor, byId, { id: BigInt(id) });
  return row === undefined ? undefined : permission(row);
}

export const permissionPages = rowPages(list, {}, permission);

/** The permissions on a data source, as the list of all permissions shows them. */
export function permissionPagesOn(dataSource: string): Pages<Permission> {
  return rowPages(listOf, { dataSource }, permission);
}

/** The permissions of a person, with the fields that their list shows. */
export function listedPersonPermissionPages(person: string): Pages<Omit<PermissionWindow, 'startsAt'>> {
  return rowPages(ofPerson, { person }, (row) => {
    const { startsAt: _notSpecified, ...listed } = permissionWindow(row);
    return listed;
  });
}

export function dataSourcePermissionPages(dataSource: string): Pages<PermissionWindow> {
  return rowPages(ofDataSource, { dataSource }, permissionWindow);
}

export function pairPermissionPages(person: string, dataSource: string): Pages<PermissionWindow> {
  return rowPages(ofPair, { person, dataSource }, permissionWindow);
}

/** @returns what was deleted; undefined if there is no such permission */
export async function deletePermission(executor: Executor, id: string): Promise<PermissionWindow | undefined> {
  const row = await first(executor, remove, { id: BigInt(id) });
  return row && permissionWindow(row);
}

function permission(row: InferResult<ReturnType<typeof expanded>>[number]): Permission {
  const { seq, createdAt, startsAt, expiresAt } = row;
  return {
    id: String(seq),
    createdAt,
    startsAt,
    expiresAt,
    person: personReference(row),
    dataSource: dataSourceReference(row),
  };
}

function permissionWindow({ seq, ...row }: Omit<PermissionWindow, 'id'> & { seq: number }): PermissionWindow {
  return { id: String(seq), ...row };
}
