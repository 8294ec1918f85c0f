import type { Role } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { rowOf } from './columns.ts';
import { findBy, runBy, runWith } from './operations.ts';
import { tablePages } from './pages.ts';
import type { Tables } from './tables.ts';

const columns = ['id', 'name', 'created_at as createdAt', 'updated_at as updatedAt'] as const;

/** @throws UniqueError for `role.name` */
export const insertRole = runWith<Role>((db, role) => db.insertInto('role').values(rowOf(columns, role)));

/** @throws UniqueError for `role.name` */
export const updateRole = runWith<Role>((db, { id, name, updatedAt }) =>
  db.updateTable('role').set({ name, updated_at: updatedAt }).where('id', '=', id),
);

export const findRole = findBy(['id'], (db, { id }) => db.selectFrom('role').select(columns).where('id', '=', id));

/** The roles after a number, in the order of creation. */
export const listRoles = (db: Kysely<Tables>, after: number) =>
  db
    .selectFrom('role')
    .select([...columns, 'seq'])
    .where('seq', '>', after)
    .orderBy('seq');

export const deleteRole = runBy(['id'], (db, { id }) => db.deleteFrom('role').where('id', '=', id));

/** A row as the API shows it. */
export const toRole = ({ id, name, createdAt, updatedAt }: Role): Role => ({ id, name, createdAt, updatedAt });

export const rolePages = tablePages(listRoles, toRole);
