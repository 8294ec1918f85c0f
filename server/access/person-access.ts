import type { DataSource } from '@rolecall/api';
import { type InferResult, type Kysely, sql } from 'kysely';
import { managesMembership, managesPermission } from '../store/manager.ts';
import { beginOfRole, endOfRole, ofMembership, startOfRole } from '../store/membership-window.ts';
import { findPerson } from '../store/person.ts';
import { statement } from '../store/statement.ts';
import type { Executor } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { beginOfPermission } from './facts.ts';
import type { Facts, Grant } from './reach.ts';

/** A grant as its person sees it. */
export interface ListedGrant extends Grant {
  /** ISO 8601; of a role: when both were in it, and its time began. */
  readonly startsAt: string;
  /** Manager that declared it; null if unknown. */
  readonly managedBy: string | null;
}

/** The stored facts about one person and one of the data sources that they reach, reached lately or will reach. */
export interface SourceFacts extends Facts {
  readonly source: Pick<DataSource, 'id' | 'name' | 'alias' | 'type'>;
  readonly grants: readonly ListedGrant[];
}

/** The most grants that one reading takes. */
const mostGrants = 5000;

type Parameters = { person: string; after: string; dataSource: string };

/** The grants of a person, by data source. @param isSingle only those of the data source that the parameter names */
const grantsOf = (db: Kysely<Tables>, { person, after, dataSource }: Parameters, isSingle: boolean) => {
  const source = [
    'data_source.seq',
    'data_source.id as sourceId',
    'data_source.name as sourceName',
    'alias',
    'type',
  ] as const;
  const permissions = db
    .selectFrom('permission')
    .innerJoin('data_source', 'data_source.id', 'permission.data_source_id')
    .leftJoin('manager', (join) => join.on(managesPermission))
    .select([
      ...source,
      sql<ListedGrant['through']>`'permission'`.as('through'),
      sql<string>`cast(permission.id as text)`.as('id'),
      sql<string>`''`.as('name'),
      'permission.starts_at as startsAt',
      'permission.expires_at as expiresAt',
      beginOfPermission.as('from'),
      'manager.manager as managedBy',
    ])
    .where('permission.person_id', '=', person)
    .where('permission.expires_at', '>', after)
    .$if(isSingle, (query) => query.where('permission.data_source_id', '=', dataSource));
  const roles = db
    .selectFrom('role_person')
    .innerJoin('role_data_source', 'role_data_source.role_id', 'role_person.role_id')
    .innerJoin('role', 'role.id', 'role_person.role_id')
    .innerJoin('data_source', 'data_source.id', 'role_data_source.data_source_id')
    .leftJoin('role_person_window', (join) => join.on(ofMembership))
    .leftJoin('manager', (join) => join.on(managesMembership))
    .select([
      ...source,
      sql<ListedGrant['through']>`'role'`.as('through'),
      'role.id',
      'role.name',
      startOfRole.as('startsAt'),
      endOfRole.as('expiresAt'),
      beginOfRole.as('from'),
      'manager.manager as managedBy',
    ])
    .where('role_person.person_id', '=', person)
    .where((eb) =>
      eb.or([eb('role_person_window.expires_at', 'is', null), eb('role_person_window.expires_at', '>', after)]),
    )
    .$if(isSingle, (query) => query.where('role_data_source.data_source_id', '=', dataSource));
  return permissions
    .unionAll(roles)
    .orderBy('seq')
    .limit(mostGrants + 1);
};

const ofAll = statement<Parameters>()((db, parameters) => grantsOf(db, parameters, false));
const ofOne = statement<Parameters>()((db, parameters) => grantsOf(db, parameters, true));

/**
 * Reads what decides over all data sources of a person in one statement, or over one of them.
 *
 * @param after what ended before this time, in ISO 8601, are left out
 * @returns with the data sources in the order of their creation, whether these are all
 */
export async function selectPersonAccess(
  executor: Executor,
  { person, dataSource, after }: { person: string; dataSource: string | undefined; after: string },
): Promise<{ sources: SourceFacts[]; isComplete: boolean }> {
  const personRow = await findPerson(executor, person);
  const state = personRow === undefined ? 'missing' : personRow.isLocked ? 'locked' : 'present';
  const which = dataSource === undefined ? ofAll : ofOne;
  const rows = await executor.all(which, { person, after, dataSource: dataSource ?? '' });
  const sources = new Map<string, SourceFacts & { grants: ListedGrant[] }>();
  for (const row of rows) {
    const { sourceId: id, sourceName: name, alias, type } = row;
    let facts = sources.get(id);
    if (facts === undefined) {
      const source = { id, name, alias, type };
      sources.set(id, (facts = { person: state, dataSource: 'present', source, grants: [] }));
    }
    facts.grants.push(listedGrant(row));
  }
  const isComplete = rows.length <= mostGrants;
  // The last data source may lack grants, which would make its answer wrong.
  return { sources: [...sources.values()].slice(0, isComplete ? undefined : -1), isComplete };
}

type GrantRow = InferResult<ReturnType<typeof grantsOf>>[number];

function listedGrant({ through, id, name, startsAt, expiresAt, from, managedBy }: GrantRow): ListedGrant {
  return {
    through,
    id,
    name,
    // Empty for what began when it was made.
    from: from === '' ? -Infinity : Date.parse(from),
    until: expiresAt === '' ? Infinity : Date.parse(expiresAt),
    startsAt,
    managedBy,
  };
}
