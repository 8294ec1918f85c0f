import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { StoreUnavailableError } from '../errors.ts';
import { type Prepared, prepare, type Statement, type Values } from '../statement.ts';
import type { Executor } from '../store.ts';
import type { Tables } from '../tables.ts';
import { isDamage, translateSqliteError } from './errors.ts';
import { identifyFile, type RequireSameFile } from './file-identity.ts';

/** One connection to the embedded store. */
export interface SqliteConnection extends Executor {
  readonly file: string;
  readonly all: <P extends Values, R>(statement: Statement<P, R>, parameters: P) => R[];
  /** Runs one statement without parameters or rows. */
  run(sql: string): void;
  /** Throws if the file at the path is no longer the one of this connection. */
  readonly requireSameFile: RequireSameFile;
  close(): void;
}

interface Compiled {
  ready: StatementSync;
  values: Prepared['values'];
  toRow: (values: readonly unknown[]) => Record<string, unknown>;
}

/** A checkpoint blocks all writes, and writes each changed page only once: every 32 MiB, not every 4. */
export const autocheckpoint = 'PRAGMA wal_autocheckpoint = 8000';

/** Milliseconds for which opening and reading may block the event loop while another process recovers the log. */
const busyTimeout = 1000;

/**
 * Opens a connection to an existing file. FULL: commits survive a loss of power.
 *
 * @param use for reads only, or for writes, which wait for their lock in `beginWrite`
 * @throws StoreUnavailableError
 */
export function openConnection(file: string, use: 'read' | 'write'): SqliteConnection {
  // Before the file is opened, so that a replacement in between is noticed.
  const requireSameFile = identifyFile(file);
  const database = openDatabase(file, use);
  const prepared = statementCache(database);
  const db = new Kysely<Tables>({ dialect: kyselyDialect(prepared) });
  const compiled = new Map<unknown, Compiled>();

  function compile<P extends Values, R>(statement: Statement<P, R>): Compiled {
    const { sql, values } = prepare(db, statement);
    const ready = database.prepare(sql);
    ready.setReturnArrays(true);
    const entry = { ready, values, toRow: rowReader(ready) };
    compiled.set(statement, entry);
    return entry;
  }

  return {
    file,
    db,
    revision: undefined,
    now: () => new Date(),
    all: <P extends Values, R>(statement: Statement<P, R>, parameters: P): R[] => {
      const { ready, values, toRow } = compiled.get(statement) ?? compile(statement);
      try {
        // The statement returns arrays, whatever its types say.
        const rows = ready.all(...values(parameters)) as unknown as readonly unknown[][];
        // Kysely vouches for the shape of the rows: it wrote the query.
        return rows.map(toRow) as R[];
      } catch (error) {
        throw translateSqliteError(error);
      }
    },
    run: (sql) => {
      try {
        prepared(sql).run();
      } catch (error) {
        throw translateSqliteError(error);
      }
    },
    requireSameFile,
    close: () => {
      database.close();
    },
  };
}

function openDatabase(file: string, use: 'read' | 'write'): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeout, enableForeignKeyConstraints: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(autocheckpoint);
    database.exec(use === 'read' ? 'PRAGMA query_only = 1' : 'PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw isDamage(error)
      ? new StoreUnavailableError(
          `${file} is damaged, or no store of Rolecall: restore a backup, or correct the folder`,
          { cause: error },
        )
      : translateSqliteError(error);
  }
}

/** Prepares each text of SQL once. */
function statementCache(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** Kysely's dialect for SQLite, over node:sqlite. */
function kyselyDialect(prepared: (sql: string) => StatementSync): SqliteDialect {
  const list = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return new SqliteDialect({
    database: {
      prepare: (sql) => {
        const statement = prepared(sql);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...list(parameters)),
          run: (parameters) => statement.run(...list(parameters)),
          iterate: (parameters) => statement.iterate(...list(parameters)),
        };
      },
      // The opener closes the connection itself.
      close: () => undefined,
    },
  });
}

/**
 * Makes the objects of a statement's rows. Those of node:sqlite have no prototype, which makes them slow to read and to write as
 * JSON: reading one person would cost twice as much.
 */
function rowReader(statement: StatementSync): (values: readonly unknown[]) => Record<string, unknown> {
  const names = statement.columns().map(({ name }) => name);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ''] = values[at];
    return row;
  };
}
