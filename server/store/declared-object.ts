import type { DeclarableKind } from '@rolecall/api';
import { sql } from 'kysely';
import { listEach } from './operations.ts';
import type { Executor } from './store.ts';

const objectsIn = (table: 'person' | 'role' | 'data_source' | 'snippet') => {
  const list = listEach<{ id: string }>()((db, rows) =>
    db
      .selectFrom(table)
      .select('id')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      ),
  );
  return async (executor: Executor, ids: readonly string[]) =>
    (
      await list(
        executor,
        ids.map((id) => ({ id })),
      )
    ).map(({ id }) => id);
};

const listPermissions = listEach<{ id: bigint }>()((db, rows) =>
  db
    .selectFrom('permission')
    .select('id')
    // The column is a number to Kysely; the parameter may be larger than one can say exactly.
    .where(
      'id',
      'in',
      rows.map(({ id }) => id as unknown as number),
    ),
);

async function permissionsOf(executor: Executor, ids: readonly string[]): Promise<string[]> {
  const numbers = ids.filter((id) => /^[1-9][0-9]{0,17}$/.test(id)).map((id) => ({ id: BigInt(id) }));
  return (await listPermissions(executor, numbers)).map(({ id }) => String(id));
}

const membershipsIn = (table: 'role_person' | 'role_data_source', column: 'person_id' | 'data_source_id') => {
  const list = listEach<{ role: string; member: string }>()((db, rows) =>
    db
      .selectFrom(table)
      .select(['role_id as role', sql<string>`${sql.ref(column)}`.as('member')])
      .where((eb) =>
        eb.or(rows.map(({ role, member }) => eb.and([eb('role_id', '=', role), eb(sql.ref(column), '=', member)]))),
      ),
  );
  return async (executor: Executor, ids: readonly string[]) => {
    const pairs = ids.map((id) => {
      const [role = '', member = ''] = id.split('/');
      return { role, member };
    });
    return (await list(executor, pairs)).map(({ role, member }) => `${role}/${member}`);
  };
};

/** Finds, of some identifiers, those that there are. */
export const existingObjects: Readonly<
  Record<DeclarableKind, (executor: Executor, ids: readonly string[]) => Promise<string[]>>
> = {
  data_source: objectsIn('data_source'),
  permission: permissionsOf,
  person: objectsIn('person'),
  role: objectsIn('role'),
  role_data_source: membershipsIn('role_data_source', 'data_source_id'),
  role_person: membershipsIn('role_person', 'person_id'),
  snippet: objectsIn('snippet'),
};
