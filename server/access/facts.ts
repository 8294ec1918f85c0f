import { sql } from 'kysely';
import { beginOfRole, endOfRole, ofMembership } from '../store/membership-window.ts';
import { statement } from '../store/statement.ts';
import { type Collection, type Executor, first } from '../store/store.ts';
import type { Facts, Grant } from './reach.ts';

/** The collections on which an answer of the gate depends. */
export const decisive: readonly Collection[] = ['data_source', 'membership', 'permission', 'person', 'role'];

/**
 * Start of a permission; empty for one that began when it was made. Its process's clock told its start, and the store's
 * clock, which may be a moment behind, would put the start in the future.
 */
export const beginOfPermission = sql<string>`case when permission.starts_at <= permission.created_at then ''
  else permission.starts_at end`;

// One statement, since each one costs a round trip to PostgreSQL.
const facts = statement<{ person: string; dataSource: string }>()((db, { person, dataSource }) =>
  db
    .selectFrom('permission')
    .select([
      sql<string>`'permission'`.as('kind'),
      sql<string>`cast(id as text)`.as('id'),
      sql<string>`''`.as('name'),
      beginOfPermission.as('startsAt'),
      'expires_at as expiresAt',
    ])
    .where('person_id', '=', person)
    .where('data_source_id', '=', dataSource)
    .unionAll(
      db
        .selectFrom('role_person')
        .innerJoin('role_data_source', 'role_data_source.role_id', 'role_person.role_id')
        .innerJoin('role', 'role.id', 'role_person.role_id')
        .leftJoin('role_person_window', (join) => join.on(ofMembership))
        .select([
          sql<string>`'role'`.as('kind'),
          'role.id',
          'role.name',
          beginOfRole.as('startsAt'),
          endOfRole.as('expiresAt'),
        ])
        .where('role_person.person_id', '=', person)
        .where('role_data_source.data_source_id', '=', dataSource),
    )
    .unionAll(
      db
        .selectFrom('person')
        .select([
          sql<string>`case is_locked when 0 then 'person' else 'locked person' end`.as('kind'),
          'id',
          sql<string>`''`.as('name'),
          sql<string>`''`.as('startsAt'),
          sql<string>`''`.as('expiresAt'),
        ])
        .where('id', '=', person),
    )
    .unionAll(
      db
        .selectFrom('data_source')
        .select([
          sql<string>`'data source'`.as('kind'),
          'id',
          sql<string>`''`.as('name'),
          sql<string>`''`.as('startsAt'),
          sql<string>`''`.as('expiresAt'),
        ])
        .where('id', '=', dataSource),
    ),
);

const version = statement()((db) =>
  db
    .selectFrom('collection_version')
    .select((eb) => eb.fn.sum<number | string>('version').as('version'))
    .where('name', 'in', decisive),
);

/** Reads everything that decides whether a person reaches a data source, in one statement. */
export async function selectAccessFacts(executor: Executor, person: string, dataSource: string): Promise<Facts> {
  const rows = await executor.all(facts, { person, dataSource });
  const kinds = new Set(rows.map(({ kind }) => kind));
  return {
    person: kinds.has('person') ? 'present' : kinds.has('locked person') ? 'locked' : 'missing',
    dataSource: kinds.has('data source') ? 'present' : 'missing',
    grants: rows.flatMap(({ kind, id, name, startsAt, expiresAt }): Grant[] => {
      if (kind !== 'role' && kind !== 'permission') return [];
      const from = startsAt === '' ? -Infinity : Date.parse(startsAt);
      return [{ through: kind, id, name, from, until: expiresAt === '' ? Infinity : Date.parse(expiresAt) }];
    }),
  };
}

/** A number that grows with every change that may change an answer of the gate, whichever process makes it. */
export async function readAccessVersion(executor: Executor): Promise<number> {
  const row = await first(executor, version, {});
  return Number(row?.version);
}
