import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailableError } from '../errors.ts';
import { translateSqliteError } from './errors.ts';

/** Records of a store's copy about itself. */
export interface SnapshotInfo {
  /** Time of the copy, ISO 8601; undefined for a store that is not a copy. */
  readonly takenAt: string | undefined;
  /** Number of migrations that it has. */
  readonly version: number;
  /** Recognises the key that its secrets were sealed with. */
  readonly keyCheck: string | undefined;
}

const takenAt = 'backup_taken_at';

/**
 * Copies a store at one moment, while others write to it. Queries are left out: their rows are not in the store, and a query
 * without rows would be incomplete. So are sessions and one-time tokens: a restored store must not let in people who were
 * signed out since.
 *
 * @param into an empty file
 * @throws StoreUnavailableError
 */
export function takeSnapshot(file: string, into: string, now: string): void {
  // Rewritten, not copied page by page, so that free pages keep nothing that was deleted or replaced.
  withDatabase(file, true, (database) => database.prepare('VACUUM INTO ?').run(into));
  withDatabase(into, false, (database) => {
    for (const table of ['query_result', 'query', 'person_session', 'one_time_token']) {
      if (hasTable(database, table)) database.exec(`DELETE FROM ${table}`);
    }
    database.exec('VACUUM');
    database.prepare('INSERT OR REPLACE INTO store_meta (name, value) VALUES (?, ?)').run(takenAt, now);
  });
}

/**
 * Reads a copy through and checks that it is whole.
 *
 * @param name the name for errors: the file that was copied
 * @throws StoreUnavailableError for a file that is damaged or not a store
 */
export function inspectSnapshot(file: string, name = file): SnapshotInfo {
  const inspect = (database: DatabaseSync): SnapshotInfo => {
    const faults = [
      ...database
        .prepare('PRAGMA integrity_check')
        .all()
        .map(({ integrity_check: fault }) => String(fault)),
      ...database
        .prepare('PRAGMA foreign_key_check')
        .all()
        .map(({ table }) => `${String(table)} refers to nothing`),
    ].filter((fault) => fault !== 'ok');
    if (faults.length > 0) throw new StoreUnavailableError(`${name} is damaged: ${faults.slice(0, 3).join('; ')}`);
    if (!hasTable(database, 'migration') || !hasTable(database, 'store_meta')) {
      throw new StoreUnavailableError(`${name} is no store of Rolecall`);
    }
    const meta = database.prepare('SELECT value FROM store_meta WHERE name = ?');
    const read = (entry: string) => meta.get(entry)?.['value']?.toString();
    const version = Number(database.prepare('SELECT max(version) AS version FROM migration').get()?.['version'] ?? 0);
    return { takenAt: read(takenAt), version, keyCheck: read('key_check') };
  };
  return withDatabase(file, true, inspect, name);
}

/** Turns a copy into a store again. */
export function unmarkSnapshot(file: string): void {
  withDatabase(file, false, (database) => {
    // A client may know a later state: an ETag is made from these numbers, and must not come again for another state.
    database.exec('UPDATE collection_version SET version = version + 1 + abs(random() % (1 << 40))');
    database.prepare('DELETE FROM store_meta WHERE name = ?').run(takenAt);
  });
}

/** Removes an abandoned copy, with SQLite's files beside it. */
export function removeSnapshot(file: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function withDatabase<T>(file: string, readOnly: boolean, work: (database: DatabaseSync) => T, name = file): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly, timeout: 5000 });
    return work(database);
  } catch (error) {
    const translated = translateSqliteError(error);
    if (translated !== error || !(error instanceof Error) || !('errcode' in error)) throw translated;
    // What is left is of the file: damaged (11), or no database (26).
    throw new StoreUnavailableError(`${name} is damaged or no store of Rolecall: ${error.message}`, { cause: error });
  } finally {
    database?.close();
  }
}
