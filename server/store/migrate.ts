import { type Kysely, type RawBuilder, sql } from 'kysely';
import { StoreVersionError } from './errors.ts';
import { migrations, type StoreKind } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/** A store that is being opened. */
export interface MigrationTarget {
  readonly kind: StoreKind;
  /** Reads, in no transaction. */
  readonly db: Kysely<Tables>;
  /** Runs work in one transaction, while no other process, on whichever machine, writes to the store. */
  readonly alone: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;
}

/**
 * Migrates a store to this program's version, each step in a transaction of its own. Several processes may do this at once:
 * the second one finds it done.
 *
 * @throws StoreVersionError if a newer program made the store
 */
export async function migrateStore(target: MigrationTarget): Promise<void> {
  // Opening a current store must not wait for its writers.
  while (!(await isCurrent(target))) await target.alone((db) => migrateOnce(target.kind, db));
}

async function isCurrent({ kind, db }: MigrationTarget): Promise<boolean> {
  const { rows } = await isMarked[kind].execute(db);
  return rows.length > 0 && (await currentVersion(db)) === migrations.length;
}

/** Returns a row if a store was ever migrated. */
const isMarked: Readonly<Record<StoreKind, RawBuilder<unknown>>> = {
  sqlite: sql`select 1 from sqlite_schema where name = 'migration'`,
  postgresql: sql`select 1 where to_regclass('migration') is not null`,
};

/** Does nothing if another process did it first. */
async function migrateOnce(kind: StoreKind, db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute();
  const version = await currentVersion(db);
  const next = migrations[version];
  if (next === undefined) return;
  if (next.only === undefined || next.only === kind) await next.migrate(db);
  await sql`insert into migration (version, name, applied_at)
    values (${version + 1}, ${next.name}, ${new Date().toISOString()})`.execute(db);
}

async function currentVersion(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`select max(version) as version from migration`.execute(db);
  const version = rows[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new StoreVersionError(
      `a newer Rolecall made this store (version ${version}; this program knows up to ${migrations.length}): run that one`,
    );
  }
  return version;
}
