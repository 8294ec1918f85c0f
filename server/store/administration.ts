import type { Editor, GrantLine, RunningQuery } from '@rolecall/api';
import { type Kysely, type SqlBool, sql } from 'kysely';
import { showEditor, shownEditors } from './editor.ts';
import { managesMembership, managesPermission } from './manager.ts';
import { endOfRole, holdsAt, ofMembership, startOfRole } from './membership-window.ts';
import { findBy } from './operations.ts';
import { dataSourceColumns, dataSourceReference, personColumns, personOrNull, personReference } from './references.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** Finds out whether a person has a role that is named, at a time of the store. */
export const findNamedMembership = findBy(['role', 'person', 'now'], (db, { role, person, now }) =>
  db
    .selectFrom('role_person')
    .innerJoin('role', 'role.id', 'role_person.role_id')
    .innerJoin('person', 'person.id', 'role_person.person_id')
    .select('role.id')
    .where('role.name', '=', role)
    .where('role_person.person_id', '=', person)
    .where('person.is_locked', '=', 0)
    .where(holdsAt(now)),
);

/** Search of a list, and the part of it that is wanted. */
export type Search = {
  /** Of `searchPattern`. */
  pattern: string;
  offset: number;
  limit: number;
};

/** The pattern of names that have a part; wildcards in it are characters like others. */
export function searchPattern(part: string): string {
  return `%${part.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}

export const matches = (pattern: string) =>
  sql<SqlBool>`lower(person.name || ' ' || person.username || ' ' || data_source.name || ' ' || coalesce(data_source.alias, ''))
    like ${pattern} escape '\\'`;

const grants = (db: Kysely<Tables>, { pattern, offset, limit, now }: Search & { now: string }) => {
  const permissions = db
    .selectFrom('permission')
    .innerJoin('person', 'person.id', 'permission.person_id')
    .innerJoin('data_source', 'data_source.id', 'permission.data_source_id')
    .leftJoin('manager', (join) => join.on(managesPermission))
    .select([
      ...personColumns,
      ...dataSourceColumns,
      'person.is_locked as isLocked',
      sql<string>`cast(permission.id as text)`.as('id'),
      sql<string>`''`.as('role'),
      'permission.starts_at as startsAt',
      'permission.expires_at as expiresAt',
      'manager.manager as managedBy',
    ])
    .where('permission.expires_at', '>', now)
    .where(matches(pattern));
  const roles = db
    .selectFrom('role_person')
    .innerJoin('role_data_source', 'role_data_source.role_id', 'role_person.role_id')
    .innerJoin('role', 'role.id', 'role_person.role_id')
    .innerJoin('person', 'person.id', 'role_person.person_id')
    .innerJoin('data_source', 'data_source.id', 'role_data_source.data_source_id')
    .leftJoin('role_person_window', (join) => join.on(ofMembership))
    .leftJoin('manager', (join) => join.on(managesMembership))
    .select([
      ...personColumns,
      ...dataSourceColumns,
      'person.is_locked as isLocked',
      'role.id',
      'role.name as role',
      startOfRole.as('startsAt'),
      endOfRole.as('expiresAt'),
      'manager.manager as managedBy',
    ])
    .where((eb) =>
      eb.or([eb('role_person_window.expires_at', 'is', null), eb('role_person_window.expires_at', '>', now)]),
    )
    .where(matches(pattern));
  return permissions
    .unionAll(roles)
    .orderBy('username')
    .orderBy('dataSourceName')
    .orderBy('dataSourceId')
    .orderBy('startsAt')
    .orderBy('id')
    .limit(limit)
    .offset(offset);
};

const grantList = statement<Search & { now: string }>()(grants);

/** Lists the data sources that people reach now or later, by person and data source. */
export async function selectGrants(executor: Executor, wanted: Search & { now: string }): Promise<GrantLine[]> {
  const rows = await executor.all(grantList, wanted);
  return rows.map(({ isLocked, id, role, startsAt, expiresAt, managedBy, ...names }) => ({
    person: personReference(names),
    isLocked: isLocked === 1,
    dataSource: dataSourceReference(names),
    through: role === '' ? 'permission' : 'role',
    id,
    role: role === '' ? null : role,
    startsAt,
    expiresAt: expiresAt === '' ? null : expiresAt,
    managedBy,
  }));
}

const running = statement<{ limit: number }>()((db, { limit }) =>
  db
    .selectFrom('query')
    .innerJoin('data_source', 'data_source.id', 'query.data_source_id')
    .leftJoin('person', 'person.id', 'query.person_id')
    .select([
      ...personColumns,
      ...dataSourceColumns,
      'query.id',
      'query.created_at as createdAt',
      'query.started_at as startedAt',
    ])
    .where('completed_at', 'is', null)
    .orderBy('query.created_at')
    .limit(limit),
);

/** The queries that are not complete, the oldest first. */
export async function selectRunningQueries(executor: Executor, limit: number): Promise<RunningQuery[]> {
  const rows = await executor.all(running, { limit });
  return rows.map(({ id, createdAt, startedAt, ...names }) => ({
    id,
    person: personOrNull(names),
    dataSource: dataSourceReference(names),
    createdAt,
    startedAt,
  }));
}

const editorList = statement<Search>()((db, { pattern, offset, limit }) =>
  shownEditors(db).where(matches(pattern)).limit(limit).offset(offset),
);

/** Editors, in the order in which they were opened. */
export async function searchEditors(executor: Executor, wanted: Search): Promise<Editor[]> {
  return (await executor.all(editorList, wanted)).map(showEditor);
}
