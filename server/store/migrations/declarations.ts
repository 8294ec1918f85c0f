import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { texts } from './columns.ts';

/** Adds the objects that the definitions of a manager stand for, and the origin of its definitions. */
export async function declarations(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('declaration')
    .$call(texts('manager', 'kind', 'id', 'definition'))
    .addColumn('is_kept', 'integer', (column) => column.notNull())
    .$call(texts('at'))
    .addPrimaryKeyConstraint('declaration_once', ['manager', 'kind', 'id', 'definition'])
    .execute();
  await db.schema.createIndex('declaration_by_object').on('declaration').columns(['kind', 'id']).execute();
  await db.schema
    .createTable('declaration_origin')
    .addColumn('manager', 'text', (column) => column.primaryKey())
    .$call(texts('origin', 'at'))
    .execute();
  await db.insertInto('collection_version').values({ name: 'declaration' }).execute();
}
