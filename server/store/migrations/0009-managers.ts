import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Which manager, such as a repository or a cluster, last wrote an object, and which one runs a list exactly. */
export async function managers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('manager')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('manager', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('manager_once', ['kind', 'id'])
    .execute();
}
