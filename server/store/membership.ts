import type { MembershipWindow, RoleAssignment, RoleDataSource, RolePerson } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import {
  ofMembership,
  selectWindows,
  selectWindowsOfPerson,
  selectWindowsOfRole,
  type WindowColumns,
  windowOf,
  withWindows,
} from './membership-window.ts';
import { changeBy, findBy } from './operations.ts';
import { type Pages, pageRows, rowPages } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** Puts a person into a role. @returns false if they are in it already; the first time is then kept */
export const insertRolePerson = changeBy(['role', 'member', 'at'], (db, { role, member, at }) =>
  db
    .insertInto('role_person')
    .values({ role_id: role, person_id: member, assigned_at: at })
    .onConflict((conflict) => conflict.columns(['role_id', 'person_id']).doNothing())
    .returning('role_id'),
);

/** Puts a data source into a role. @returns false if it is in the role already; the first time is then kept */
export const insertRoleDataSource = changeBy(['role', 'member', 'at'], (db, { role, member, at }) =>
  db
    .insertInto('role_data_source')
    .values({ role_id: role, data_source_id: member, assigned_at: at })
    .onConflict((conflict) => conflict.columns(['role_id', 'data_source_id']).doNothing())
    .returning('role_id'),
);

/** Membership as it was when it was deleted. */
export interface DeletedMembership {
  /** Since when the person or the data source was in the role. */
  readonly assignedAt: string;
  readonly windows?: readonly MembershipWindow[];
}

const takeRolePerson = findBy(['role', 'member'], (db, { role, member }) =>
  db
    .deleteFrom('role_person')
    .where('role_id', '=', role)
    .where('person_id', '=', member)
    .returning('assigned_at as assignedAt'),
);

/** @returns undefined if the person was not in the role */
export async function deleteRolePerson(
  executor: Executor,
  role: string,
  member: string,
): Promise<DeletedMembership | undefined> {
  const windows = await selectWindows(executor, role, member);
  const membership = await takeRolePerson(executor, role, member);
  return membership && { ...membership, windows };
}

/** @returns undefined if the data source was not in the role */
export const deleteRoleDataSource = findBy(['role', 'member'], (db, { role, member }) =>
  db
    .deleteFrom('role_data_source')
    .where('role_id', '=', role)
    .where('data_source_id', '=', member)
    .returning('assigned_at as assignedAt'),
);

/**
 * The numbers of the memberships on one page. An index has these, so that for a large role no other row is touched than those of the
 * page.
 */
const page = (
  db: Kysely<Tables>,
  table: 'role_person' | 'role_data_source',
  column: 'role_id' | 'person_id' | 'data_source_id',
  id: string,
  after: number,
) =>
  db
    .selectFrom(table)
    .select('seq')
    .where(db.dynamic.ref(column), '=', id)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows)
    .as('page');

const people = statement<{ role: string; after: number }>()((db, { role, after }) =>
  db
    .selectFrom(page(db, 'role_person', 'role_id', role, after))
    .innerJoin('role_person', 'role_person.seq', 'page.seq')
    .innerJoin('person', 'person.id', 'role_person.person_id')
    .leftJoin('role_person_window', (join) => join.on(ofMembership))
    .select([
      'role_person_window.starts_at as windowStartsAt',
      'role_person_window.expires_at as windowExpiresAt',
      'person.id',
      'person.username',
      'person.email',
      'person.name',
      'role_person.assigned_at as assignedAt',
      'role_person.seq',
    ])
    .orderBy('role_person.seq')
    .orderBy('role_person_window.seq'),
);

const dataSources = statement<{ role: string; after: number }>()((db, { role, after }) =>
  db
    .selectFrom(page(db, 'role_data_source', 'role_id', role, after))
    .innerJoin('role_data_source', 'role_data_source.seq', 'page.seq')
    .innerJoin('data_source', 'data_source.id', 'role_data_source.data_source_id')
    .select([
      'data_source.id',
      'data_source.name',
      'data_source.alias',
      'role_data_source.assigned_at as assignedAt',
      'role_data_source.seq',
    ])
    .orderBy('role_data_source.seq'),
);

const rolesOfPerson = statement<{ member: string; after: number }>()((db, { member, after }) =>
  db
    .selectFrom(page(db, 'role_person', 'person_id', member, after))
    .innerJoin('role_person', 'role_person.seq', 'page.seq')
    .innerJoin('role', 'role.id', 'role_person.role_id')
    .leftJoin('role_person_window', (join) => join.on(ofMembership))
    .select([
      'role.id',
      'role.name',
      'role_person.assigned_at as assignedAt',
      'role_person.seq',
      'role_person_window.starts_at as windowStartsAt',
      'role_person_window.expires_at as windowExpiresAt',
    ])
    .orderBy('role_person.seq')
    .orderBy('role_person_window.seq'),
);

const rolesOfDataSource = statement<{ member: string; after: number }>()((db, { member, after }) =>
  db
    .selectFrom(page(db, 'role_data_source', 'data_source_id', member, after))
    .innerJoin('role_data_source', 'role_data_source.seq', 'page.seq')
    .innerJoin('role', 'role.id', 'role_data_source.role_id')
    .select(['role.id', 'role.name', 'role_data_source.assigned_at as assignedAt', 'role_data_source.seq'])
    .orderBy('role_data_source.seq'),
);

const removePeople = (db: Kysely<Tables>, column: 'role_id' | 'person_id', id: string, limit: number) =>
  db
    .deleteFrom('role_person')
    .where('seq', 'in', db.selectFrom('role_person').select('seq').where(column, '=', id).limit(limit))
    .returning(['role_id as role', 'person_id as member', 'assigned_at as assignedAt']);

const removeDataSources = (db: Kysely<Tables>, column: 'role_id' | 'data_source_id', id: string, limit: number) =>
  db
    .deleteFrom('role_data_source')
    .where('seq', 'in', db.selectFrom('role_data_source').select('seq').where(column, '=', id).limit(limit))
    .returning(['role_id as role', 'data_source_id as member', 'assigned_at as assignedAt']);

const takePersonRoles = changeInBatches(['person'], batchSize.rows, (db, { person }, limit) =>
  removePeople(db, 'person_id', person, limit),
);

const takeRolePeople = changeInBatches(['role'], batchSize.rows, (db, { role }, limit) =>
  removePeople(db, 'role_id', role, limit),
);

/** Takes a person out of all roles. @returns what was deleted */
export async function deletePersonRoles(executor: Executor, person: string) {
  const windows = await selectWindowsOfPerson(executor, person);
  return withWindows(await takePersonRoles(executor, person), windows);
}

/** Takes all people out of a role. @returns what was deleted */
export async function deleteRolePeople(executor: Executor, role: string) {
  const windows = await selectWindowsOfRole(executor, role);
  return withWindows(await takeRolePeople(executor, role), windows);
}

/** Takes a data source out of all roles. @returns what was deleted */
export const deleteDataSourceRoles = changeInBatches(['dataSource'], batchSize.rows, (db, { dataSource }, limit) =>
  removeDataSources(db, 'data_source_id', dataSource, limit),
);

/** Takes all data sources out of a role. @returns what was deleted */
export const deleteRoleDataSources = changeInBatches(['role'], batchSize.rows, (db, { role }, limit) =>
  removeDataSources(db, 'role_id', role, limit),
);

export function rolePeoplePages(role: string): Pages<RolePerson> {
  return windowedPages(rowPages(people, { role }, (row) => row, 1));
}

export function roleDataSourcePages(role: string): Pages<RoleDataSource> {
  return rowPages(dataSources, { role }, ({ seq: _order, ...dataSource }) => dataSource);
}

export function personRolePages(member: string): Pages<RoleAssignment> {
  return windowedPages(rowPages(rolesOfPerson, { member }, (row) => row, 1));
}

export function dataSourceRolePages(member: string): Pages<RoleAssignment> {
  return rowPages(rolesOfDataSource, { member }, ({ seq: _order, ...role }) => role);
}

/**
 * Puts the windows of a membership together, which come in a row each.
 *
 * @param pages with the rows of at most `pageRows` memberships in each
 */
function windowedPages<R extends WindowColumns & { seq: number }>(
  pages: Pages<R>,
): Pages<Omit<R, keyof WindowColumns | 'seq'> & { windows?: MembershipWindow[] }> {
  return {
    start: pages.start,
    read: async (executor, after) => {
      const { rows, next } = await pages.read(executor, after);
      const memberships = Map.groupBy(rows, ({ seq }) => seq);
      return {
        rows: [...memberships.values()].flatMap((group) => {
          const [first] = group;
          if (first === undefined) return [];
          const { seq: _order, windowStartsAt: _start, windowExpiresAt: _end, ...shown } = first;
          const windows = group.flatMap((row) => windowOf(row) ?? []);
          return [windows.length === 0 ? shown : { ...shown, windows }];
        }),
        next: memberships.size < pageRows ? undefined : next,
      };
    },
  };
}
