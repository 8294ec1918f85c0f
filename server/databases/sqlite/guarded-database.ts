import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CommandError } from '../session.ts';
import type { Order } from './run-protocol.ts';

/** A file in a transaction. Commands can neither end the transaction nor reach beyond the file. */
export interface GuardedDatabase {
  prepare: (sql: string) => StatementSync;
  end: (how: 'COMMIT' | 'ROLLBACK') => void;
  isTransaction: () => boolean;
}

/** The largest value that an expression may make, in bytes. */
const longestValue = 128 * 1024 * 1024;

/** Pragmas that only read; those in the second list take an argument that names what to read. */
const readable = new Set(
  `application_id cache_size collation_list compile_options data_version database_list encoding foreign_keys
  freelist_count function_list journal_mode module_list page_count page_size pragma_list query_only
  schema_version synchronous table_list user_version`.split(/\s+/),
);
const readableOf = new Set(
  `foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info
  table_list table_xinfo`.split(/\s+/),
);

/**
 * Opens a file and begins a transaction. While SQLite compiles a statement, before anything runs, it asks whether each action
 * is allowed. So comments and spellings make no difference.
 */
export function openGuarded({
  file,
  readOnly,
  busyTimeout,
}: Extract<Order, { open: unknown }>['open']): GuardedDatabase {
  // As a URI, since only then a missing file is not created.
  const place = pathToFileURL(file);
  place.searchParams.set('mode', readOnly ? 'ro' : 'rw');
  const database = new DatabaseSync(place, {
    readOnly,
    timeout: busyTimeout,
    allowExtension: false,
    readBigInts: true,
  });
  database.enableDefensive(true);
  // Missing in Node 24. The default of a gigabyte is more than the process may use.
  if ('limits' in database) database.limits.length = longestValue;
  // A sort that spills into files could fill the disk of the service before the memory limit stops it.
  database.exec('PRAGMA temp_store = MEMORY; BEGIN');
  const reasons: string[] = [];
  let isOwnStatement = false;
  database.setAuthorizer((action, first, second) => {
    const reason = isOwnStatement ? undefined : refusalOf(action, first, second);
    if (reason === undefined) return constants.SQLITE_OK;
    reasons.push(reason);
    return constants.SQLITE_DENY;
  });
  return {
    isTransaction: () => database.isTransaction,
    prepare: (sql) => {
      reasons.length = 0;
      try {
        const statement = database.prepare(sql);
        statement.setReturnArrays(true);
        return statement;
      } catch (error) {
        const [reason] = reasons;
        if (reason !== undefined) throw new CommandError(reason);
        throw error;
      }
    },
    end: (how) => {
      isOwnStatement = true;
      database.exec(how);
    },
  };
}

function refusalOf(action: number, first: string | null, second: string | null): string | undefined {
  switch (action) {
    case constants.SQLITE_TRANSACTION:
      return `${first ?? 'this'} is refused: the commands of a query run in one transaction, which ends by itself after the last`;
    case constants.SQLITE_ATTACH:
    case constants.SQLITE_DETACH:
      return 'ATTACH, DETACH and VACUUM INTO are refused: a data source is one file';
    case constants.SQLITE_PRAGMA:
      return isReadable((first ?? '').toLowerCase(), second)
        ? undefined
        : `PRAGMA ${first ?? ''}${second === null ? '' : ' with a value'} is refused`;
    case constants.SQLITE_FUNCTION:
      return second?.toLowerCase() === 'load_extension' ? 'load_extension is refused' : undefined;
    default:
      return undefined;
  }
}

function isReadable(name: string, value: string | null): boolean {
  return readableOf.has(name) || (value === null && readable.has(name));
}
