import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** The tables as the first version has them. Later ones change them by migrations of their own: never edit this one. */
export async function initial(db: Kysely<Tables>): Promise<void> {
  await createKeys(db);
  await createPeople(db);
  await createDataSources(db);
  await createRoles(db);
  await createPermissions(db);
  await createSnippets(db);
  await createEditors(db);
  await createCollectionVersions(db);
}

async function createKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('store_meta')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('api_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('secret_hash', 'blob', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('rotated_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
}

async function createPeople(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'person')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('username_key', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('is_locked', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('two_factor_enabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

async function createDataSources(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'data_source')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('alias', 'text', (column) => column.unique())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('sealed_uri', 'blob', (column) => column.notNull())
    .addColumn('shown_uri', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
}

async function createRoles(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'role')
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await createMembership(db, 'role_person', 'person');
  await createMembership(db, 'role_data_source', 'data_source');
}

async function createMembership(db: Kysely<Tables>, table: string, member: string): Promise<void> {
  const memberId = `${member}_id`;
  await db.schema
    .createTable(table)
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('role_id', 'text', (column) => column.notNull().references('role.id').onDelete('cascade'))
    .addColumn(memberId, 'text', (column) => column.notNull().references(`${member}.id`).onDelete('cascade'))
    .addColumn('assigned_at', 'text', (column) => column.notNull())
    .addUniqueConstraint(`${table}_once`, ['role_id', memberId])
    .execute();
  await index(db, table, memberId);
}

async function createPermissions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('permission')
    // Numbers of deleted permissions are never given out again: a client may still hold one.
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('person_id', 'text', (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('data_source_id', 'text', (column) => column.notNull().references('data_source.id').onDelete('cascade'))
    .addColumn('starts_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'permission', 'person_id');
  await index(db, 'permission', 'data_source_id');
}

async function createSnippets(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'snippet')
    // Not a foreign key: the two tables would refer to each other, and no first row could be made.
    .addColumn('active_version_id', 'text', (column) => column.notNull())
    .addColumn('is_locked', 'integer', (column) => column.notNull())
    .addColumn('public_access_level', 'text', (column) => column.notNull())
    .addColumn('owner_person_id', 'text', (column) => column.references('person.id').onDelete('set null'))
    .addColumn('owner_role_id', 'text', (column) => column.references('role.id').onDelete('set null'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'snippet', 'owner_person_id');
  await index(db, 'snippet', 'owner_role_id');
  await numbered(db, 'snippet_version')
    .addColumn('snippet_id', 'text', (column) => column.notNull().references('snippet.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('created_by_person_id', 'text', (column) => column.references('person.id').onDelete('set null'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'snippet_version', 'snippet_id');
  await index(db, 'snippet_version', 'created_by_person_id');
}

async function createEditors(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'editor')
    .addColumn('person_id', 'text', (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('data_source_id', 'text', (column) => column.notNull().references('data_source.id').onDelete('cascade'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'editor', 'person_id');
  await index(db, 'editor', 'data_source_id');
  for (const [table, content] of [
    ['editor_tab', 'text'],
    ['editor_message', 'message'],
  ] as const) {
    await numbered(db, table)
      .addColumn('editor_id', 'text', (column) => column.notNull().references('editor.id').onDelete('cascade'))
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn(content, 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await index(db, table, 'editor_id');
  }
}

async function createCollectionVersions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('collection_version')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  for (const name of ['data_source', 'person', 'role', 'permission', 'snippet', 'editor']) {
    await sql`insert into collection_version (name) values (${name})`.execute(db);
  }
}

/** A table whose rows have an opaque identifier and the order in which they were made. */
function numbered<Name extends string>(db: Kysely<Tables>, table: Name): CreateTableBuilder<Name, 'seq' | 'id'> {
  return db.schema
    .createTable(table)
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique());
}

async function index(db: Kysely<Tables>, table: string, column: string): Promise<void> {
  await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
