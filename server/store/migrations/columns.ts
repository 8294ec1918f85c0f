import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** A table, with the columns that it has so far. */
type Table<T extends string, C extends string> = CreateTableBuilder<T, C>;

/** Adds columns for texts, which are never null. */
export function texts<const N extends string>(...names: N[]) {
  return <T extends string, C extends string>(table: Table<T, C>) =>
    names.reduce<Table<T, C | N>>((all, name) => all.addColumn(name, 'text', (column) => column.notNull()), table);
}

/** Adds the columns `person_id`, … for rows that go with the person, … that they name. */
export function owners<const N extends string>(...tables: N[]) {
  return <T extends string, C extends string>(table: Table<T, C>) =>
    tables.reduce<Table<T, C | `${N}_id`>>(
      (all, owner) =>
        all.addColumn(`${owner}_id`, 'text', (column) =>
          column.notNull().references(`${owner}.id`).onDelete('cascade'),
        ),
      table,
    );
}

/** A table whose rows have a text for their identifier. */
export function identified<T extends string>(db: Kysely<Tables>, table: T): Table<T, 'id'> {
  return db.schema.createTable(table).addColumn('id', 'text', (column) => column.primaryKey());
}

/** A table whose rows have an opaque identifier and the order in which they were made. */
export function numbered<T extends string>(db: Kysely<Tables>, table: T): Table<T, 'seq' | 'id'> {
  return db.schema
    .createTable(table)
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique());
}

/** Makes an index for each of these columns. */
export async function indexEach(db: Kysely<Tables>, table: string, ...columns: string[]): Promise<void> {
  for (const column of columns) {
    await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
  }
}
