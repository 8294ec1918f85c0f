import type { Permission, PermissionGrant, PermissionWindow } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';
import type { Tables } from './tables.ts';

const insert = statement<{
  person: string;
  dataSource: string;
  startsAt: string;
  expiresAt: string;
  createdAt: string;
}>()((db, permission) =>
  db
    .insertInto('permission')
    .values({
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
      'permission.id',
      'permission.created_at as createdAt',
      'permission.starts_at as startsAt',
      'permission.expires_at as expiresAt',
      'person.id as personId',
      'person.name as personName',
      'person.username',
      'person.email',
      'data_source.id as dataSourceId',
      'data_source.name as dataSourceName',
      'data_source.alias',
    ]);

const one = statement<{ id: bigint }>()((db, { id }) =>
  // The column is a number to Kysely; the parameter may be larger than one can say exactly.
  expanded(db).where('permission.id', '=', id as unknown as number),
);

const list = statement()((db) => expanded(db).orderBy('permission.id'));

const listOf = statement<{ dataSource: string }>()((db, { dataSource }) =>
  expanded(db).where('permission.data_source_id', '=', dataSource).orderBy('permission.id'),
);

const window = [
  'id',
  'person_id as personId',
  'data_source_id as dataSourceId',
  'starts_at as startsAt',
  'expires_at as expiresAt',
] as const;

const flat = (db: Kysely<Tables>) => db.selectFrom('permission').select(window).orderBy('id');

const ofPerson = statement<{ person: string }>()((db, { person }) => flat(db).where('person_id', '=', person));

const ofDataSource = statement<{ dataSource: string }>()((db, { dataSource }) =>
  flat(db).where('data_source_id', '=', dataSource),
);

const ofPair = statement<{ person: string; dataSource: string }>()((db, { person, dataSource }) =>
  flat(db).where('person_id', '=', person).where('data_source_id', '=', dataSource),
);

const remove = statement<{ id: bigint }>()((db, { id }) =>
  db
    .deleteFrom('permission')
    .where('id', '=', id as unknown as number)
    .returning(window),
);

const removeOfPerson = statement<{ person: string }>()((db, { person }) =>
  db.deleteFrom('permission').where('person_id', '=', person).returning(window),
);

const removeOfDataSource = statement<{ dataSource: string }>()((db, { dataSource }) =>
  db.deleteFrom('permission').where('data_source_id', '=', dataSource).returning(window),
);

const removeOfPair = statement<{ person: string; dataSource: string }>()((db, { person, dataSource }) =>
  db
    .deleteFrom('permission')
    .where('person_id', '=', person)
    .where('data_source_id', '=', dataSource)
    .returning(window),
);

/** Grants; the store gives the number. */
export async function insertPermission(
  executor: Executor,
  { person, dataSource, ...grant }: Omit<PermissionGrant, 'id'> & { person: string; dataSource: string },
): Promise<PermissionGrant> {
  const row = await first(executor, insert, { person, dataSource, ...grant });
  if (row === undefined) throw new Error('the store gave the new permission no number');
  return { id: String(row.id), ...grant };
}

export async function findPermission(executor: Executor, id: string): Promise<Permission | undefined> {
  const row = await first(executor, one, { id: BigInt(id) });
  return row === undefined ? undefined : permission(row);
}

export async function selectPermissions(executor: Executor): Promise<Permission[]> {
  const rows = await executor.all(list, {});
  return rows.map(permission);
}

/** The permissions on a data source, as the list of all permissions shows them. */
export async function selectPermissionsOn(executor: Executor, dataSource: string): Promise<Permission[]> {
  const rows = await executor.all(listOf, { dataSource });
  return rows.map(permission);
}

export async function selectPersonPermissions(executor: Executor, person: string): Promise<PermissionWindow[]> {
  return windows(await executor.all(ofPerson, { person }));
}

export async function selectDataSourcePermissions(executor: Executor, dataSource: string): Promise<PermissionWindow[]> {
  return windows(await executor.all(ofDataSource, { dataSource }));
}

export async function selectPairPermissions(
  executor: Executor,
  person: string,
  dataSource: string,
): Promise<PermissionWindow[]> {
  return windows(await executor.all(ofPair, { person, dataSource }));
}

/** What was deleted, or undefined where there is no such permission. */
export async function deletePermission(executor: Executor, id: string): Promise<PermissionWindow | undefined> {
  return windows(await executor.all(remove, { id: BigInt(id) }))[0];
}

/** What was deleted. */
export async function deletePersonPermissions(executor: Executor, person: string): Promise<PermissionWindow[]> {
  return windows(await executor.all(removeOfPerson, { person }));
}

/** What was deleted. */
export async function deleteDataSourcePermissions(executor: Executor, dataSource: string): Promise<PermissionWindow[]> {
  return windows(await executor.all(removeOfDataSource, { dataSource }));
}

/** What was deleted. */
export async function deletePairPermissions(
  executor: Executor,
  person: string,
  dataSource: string,
): Promise<PermissionWindow[]> {
  return windows(await executor.all(removeOfPair, { person, dataSource }));
}

interface Row {
  id: number;
  createdAt: string;
  startsAt: string;
  expiresAt: string;
  personId: string;
  personName: string;
  username: string;
  email: string;
  dataSourceId: string;
  dataSourceName: string;
  alias: string | null;
}

function permission(row: Row): Permission {
  const { id, createdAt, startsAt, expiresAt, personId, personName, username, email } = row;
  return {
    id: String(id),
    createdAt,
    startsAt,
    expiresAt,
    person: { id: personId, name: personName, username, email },
    dataSource: { id: row.dataSourceId, name: row.dataSourceName, alias: row.alias },
  };
}

function windows(rows: (Omit<PermissionWindow, 'id'> & { id: number })[]): PermissionWindow[] {
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}
