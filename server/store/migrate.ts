import { type Kysely, sql } from 'kysely';
import { StoreVersionError } from './errors.ts';
import { migrations } from './migrations/index.ts';
import { beginWrite } from './sqlite/begin-write.ts';
import type { SqliteConnection } from './sqlite/connection.ts';
import type { Tables } from './tables.ts';

/**
 * Brings a store to the version that this program knows, each step in a transaction of its own. Several processes may
 * do it at once: whoever comes second finds it done.
 *
 * @throws StoreVersionError where a newer program made the store
 */
export async function migrateStore(connection: SqliteConnection): Promise<void> {
  while (await migrateOnce(connection)) {
    // The next step begins where this one committed.
  }
}

async function migrateOnce(connection: SqliteConnection): Promise<boolean> {
  // With the lock of a write from the beginning: two processes would otherwise both find the old version.
  await beginWrite(connection);
  try {
    connection.run(
      'CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
    );
    const version = await currentVersion(connection.db);
    const next = migrations[version];
    if (next !== undefined) {
      await next.migrate(connection.db);
      await sql`insert into migration (version, name, applied_at)
        values (${version + 1}, ${next.name}, ${new Date().toISOString()})`.execute(connection.db);
    }
    connection.run('COMMIT');
    return next !== undefined;
  } catch (error) {
    connection.run('ROLLBACK');
    throw error;
  }
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
