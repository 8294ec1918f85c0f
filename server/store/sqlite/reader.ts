import { sql } from 'kysely';
import { type Statement, statement } from '../statement.ts';
import type { Executor, Store } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Runs reads on their own connection. */
export interface Reader {
  readonly read: Store['read'];
  /** Makes the next read see what was just committed. */
  readonly refresh: () => void;
}

/** Changes whenever another connection, of any process, commits something. Begins the snapshot. */
const dataVersion: Statement<Record<string, never>, { data_version: number }> = statement()((db) => ({
  compile: () => sql<{ data_version: number }>`PRAGMA data_version`.compile(db),
}));

/**
 * All reads within one turn of the event loop share a snapshot: its begin and end lock the file, which costs more than a small
 * query.
 */
export function createReader(connection: SqliteConnection): Reader {
  let open = false;
  const executor: Executor & { revision: number | undefined } = {
    db: connection.db,
    all: connection.all,
    revision: undefined,
    now: connection.now,
  };

  function begin(): void {
    // For reads as well: the store may have been replaced by a restore, and a key revoked there must not work here.
    connection.requireSameFile();
    connection.run('BEGIN');
    open = true;
    setImmediate(end);
    executor.revision = connection.all(dataVersion, {})[0]?.data_version;
  }

  function end(): void {
    if (!open) return;
    open = false;
    connection.run('COMMIT');
  }

  return {
    read: (work) => {
      if (!open) begin();
      return work(executor);
    },
    refresh: end,
  };
}
