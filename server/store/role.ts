import type { Role } from '@rolecall/api';
import { pageRows, rowPages } from './pages.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

const columns = ['id', 'name', 'created_at as createdAt', 'updated_at as updatedAt'] as const;

const insert = statement<{ id: string; name: string; createdAt: string; updatedAt: string }>()((db, role) =>
  db
    .insertInto('role')
    .values({ id: role.id, name: role.name, created_at: role.createdAt, updated_at: role.updatedAt }),
);

const one = statement<{ id: string }>()((db, { id }) => db.selectFrom('role').select(columns).where('id', '=', id));

const list = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('role')
    .select([...columns, 'seq'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows),
);

const remove = statement<{ id: string }>()((db, { id }) => db.deleteFrom('role').where('id', '=', id).returning('id'));

/** @throws UniqueError for `role.name` */
export async function insertRole(executor: Executor, role: Role): Promise<void> {
  await executor.all(insert, { ...role });
}

export async function findRole(executor: Executor, id: string): Promise<Role | undefined> {
  return first(executor, one, { id });
}

export const rolePages = rowPages(
  list,
  {},
  ({ id, name, createdAt, updatedAt }): Role => ({ id, name, createdAt, updatedAt }),
);

/** Whether there was such a role. */
export async function deleteRole(executor: Executor, id: string): Promise<boolean> {
  const rows = await executor.all(remove, { id });
  return rows.length > 0;
}
