import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { identified, indexEach, numbered, owners, texts } from './columns.ts';

/** The tables as the first version has them. Later ones change them by migrations of their own: never change what this makes. */
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
    .$call(texts('value'))
    .execute();
  await identified(db, 'api_key')
    .addColumn('secret_hash', 'blob', (column) => column.notNull())
    .$call(texts('scope', 'created_at'))
    .addColumn('rotated_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
}

async function createPeople(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'person')
    .$call(texts('name', 'username'))
    .addColumn('username_key', 'text', (column) => column.notNull().unique())
    .$call(texts('email'))
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('is_locked', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('two_factor_enabled', 'integer', (column) => column.notNull().defaultTo(0))
    .$call(texts('created_at'))
    .execute();
}

async function createDataSources(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'data_source')
    .$call(texts('name'))
    .addColumn('alias', 'text', (column) => column.unique())
    .$call(texts('type'))
    .addColumn('sealed_uri', 'blob', (column) => column.notNull())
    .$call(texts('shown_uri', 'created_at', 'updated_at'))
    .execute();
}

async function createRoles(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'role')
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .$call(texts('created_at', 'updated_at'))
    .execute();
  for (const member of ['person', 'data_source'] as const) {
    const table = `role_${member}`;
    await db.schema
      .createTable(table)
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .$call(owners('role', member))
      .$call(texts('assigned_at'))
      .addUniqueConstraint(`${table}_once`, ['role_id', `${member}_id`])
      .execute();
    await indexEach(db, table, `${member}_id`);
  }
}

async function createPermissions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('permission')
    // Numbers of deleted permissions are never given out again: a client may still hold one.
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .$call(owners('person', 'data_source'))
    .$call(texts('starts_at', 'expires_at', 'created_at'))
    .execute();
  await indexEach(db, 'permission', 'person_id', 'data_source_id');
}

async function createSnippets(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'snippet')
    // Not a foreign key: the two tables would refer to each other, and no first row could be made.
    .$call(texts('active_version_id'))
    .addColumn('is_locked', 'integer', (column) => column.notNull())
    .$call(texts('public_access_level'))
    .addColumn('owner_person_id', 'text', (column) => column.references('person.id').onDelete('set null'))
    .addColumn('owner_role_id', 'text', (column) => column.references('role.id').onDelete('set null'))
    .$call(texts('created_at', 'updated_at'))
    .execute();
  await indexEach(db, 'snippet', 'owner_person_id', 'owner_role_id');
  await numbered(db, 'snippet_version')
    .$call(owners('snippet'))
    .$call(texts('name', 'description', 'text'))
    .addColumn('created_by_person_id', 'text', (column) => column.references('person.id').onDelete('set null'))
    .$call(texts('created_at'))
    .execute();
  await indexEach(db, 'snippet_version', 'snippet_id', 'created_by_person_id');
}

async function createEditors(db: Kysely<Tables>): Promise<void> {
  await numbered(db, 'editor')
    .$call(owners('person', 'data_source'))
    .$call(texts('created_at', 'updated_at'))
    .execute();
  await indexEach(db, 'editor', 'person_id', 'data_source_id');
  for (const [table, content] of [
    ['editor_tab', 'text'],
    ['editor_message', 'message'],
  ] as const) {
    await numbered(db, table)
      .$call(owners('editor'))
      .$call(texts('title', content, 'created_at'))
      .execute();
    await indexEach(db, table, 'editor_id');
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
