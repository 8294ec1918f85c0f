import type { Role } from '@rolecall/api';
import { changeWith, findBy, runBy } from './operations.ts';
import { pageRows, rowPages } from './pages.ts';
import { statement } from './statement.ts';

const columns = ['id', 'name', 'created_at as createdAt', 'updated_at as updatedAt'] as const;

/** @throws UniqueError for `role.name` */
export const insertRole = changeWith<Role>((db, role) =>
  db
    .insertInto('role')
    .values({ id: role.id, name: role.name, created_at: role.createdAt, updated_at: role.updatedAt }),
);

export const findRole = findBy(['id'], (db, { id }) => db.selectFrom('role').select(columns).where('id', '=', id));

const list = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('role')
    .select([...columns, 'seq'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows),
);

export const deleteRole = runBy(['id'], (db, { id }) => db.deleteFrom('role').where('id', '=', id));

export const rolePages = rowPages(
  list,
  {},
  ({ id, name, createdAt, updatedAt }): Role => ({ id, name, createdAt, updatedAt }),
);
