import type { RoleAssignment, RoleDataSource, RolePerson } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { changeBy, findBy } from './operations.ts';
import { type Pages, pageRows, rowPages } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

export interface Membership {
  role: string;
  /** A person or a data source. */
  member: string;
}

const addPerson = changeBy(['role', 'member', 'at'], (db, { role, member, at }) =>
  db
    .insertInto('role_person')
    .values({ role_id: role, person_id: member, assigned_at: at })
    .onConflict((conflict) => conflict.columns(['role_id', 'person_id']).doNothing())
    .returning('role_id'),
);

const addDataSource = changeBy(['role', 'member', 'at'], (db, { role, member, at }) =>
  db
    .insertInto('role_data_source')
    .values({ role_id: role, data_source_id: member, assigned_at: at })
    .onConflict((conflict) => conflict.columns(['role_id', 'data_source_id']).doNothing())
    .returning('role_id'),
);

const removePerson = findBy(
  ['role', 'member'],
  (db, { role, member }) =>
    db
      .deleteFrom('role_person')
      .where('role_id', '=', role)
      .where('person_id', '=', member)
      .returning('assigned_at as assignedAt'),
  ({ assignedAt }) => assignedAt,
);

const removeDataSource = findBy(
  ['role', 'member'],
  (db, { role, member }) =>
    db
      .deleteFrom('role_data_source')
      .where('role_id', '=', role)
      .where('data_source_id', '=', member)
      .returning('assigned_at as assignedAt'),
  ({ assignedAt }) => assignedAt,
);

/**
 * The numbers of the memberships on one page. The index has these beside the two ids, so that for a large role no other row is
 * touched than those of the page.
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
    .select([
      'person.id',
      'person.username',
      'person.email',
      'person.name',
      'role_person.assigned_at as assignedAt',
      'role_person.seq',
    ])
    .orderBy('role_person.seq'),
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
    .select(['role.id', 'role.name', 'role_person.assigned_at as assignedAt', 'role_person.seq'])
    .orderBy('role_person.seq'),
);

const rolesOfDataSource = statement<{ member: string; after: number }>()((db, { member, after }) =>
  db
    .selectFrom(page(db, 'role_data_source', 'data_source_id', member, after))
    .innerJoin('role_data_source', 'role_data_source.seq', 'page.seq')
    .innerJoin('role', 'role.id', 'role_data_source.role_id')
    .select(['role.id', 'role.name', 'role_data_source.assigned_at as assignedAt', 'role_data_source.seq'])
    .orderBy('role_data_source.seq'),
);

/** Puts a person into a role. @returns false if they are in it already; the first time is then kept */
export function insertRolePerson(executor: Executor, { role, member }: Membership, at: string): Promise<boolean> {
  return addPerson(executor, role, member, at);
}

/** Puts a data source into a role. @returns false if it is in the role already; the first time is then kept */
export function insertRoleDataSource(executor: Executor, { role, member }: Membership, at: string): Promise<boolean> {
  return addDataSource(executor, role, member, at);
}

/** @returns since when the person was in the role; undefined if they were not */
export function deleteRolePerson(executor: Executor, { role, member }: Membership): Promise<string | undefined> {
  return removePerson(executor, role, member);
}

/** @returns since when the data source was in the role; undefined if it was not */
export function deleteRoleDataSource(executor: Executor, { role, member }: Membership): Promise<string | undefined> {
  return removeDataSource(executor, role, member);
}

export function rolePeoplePages(role: string): Pages<RolePerson> {
  return rowPages(people, { role }, ({ seq: _order, ...person }) => person);
}

export function roleDataSourcePages(role: string): Pages<RoleDataSource> {
  return rowPages(dataSources, { role }, ({ seq: _order, ...dataSource }) => dataSource);
}

export function personRolePages(member: string): Pages<RoleAssignment> {
  return rowPages(rolesOfPerson, { member }, ({ seq: _order, ...role }) => role);
}

export function dataSourceRolePages(member: string): Pages<RoleAssignment> {
  return rowPages(rolesOfDataSource, { member }, ({ seq: _order, ...role }) => role);
}
