import { sql } from 'kysely';
import { type Statement, statement } from '../statement.ts';
import type { Executor, Store } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Runs reads on a connection of their own. */
export interface Reader {
  readonly read: Store['read'];
  /** Makes the next read see what was just committed. */
  readonly refresh: () => void;
}

/** Another number whenever another connection, of whichever process, has committed something. Begins the snapshot. */
const dataVersion: Statement<Record<string, never>, { data_version: number }> = statement()((db) => ({
  compile: () => sql<{ data_version: number }>`PRAGMA data_version`.compile(db),
}));

/**
 * All reads within one turn of the event loop share a snapshot, since beginning and ending one takes locks on the file,
 * which cost more than a small query.
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
    // Reads too: a store may have been restored in its place, and a key that is revoked there must not be good here.
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
