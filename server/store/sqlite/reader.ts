import { sql } from 'kysely';
import { type Statement, statement } from '../statement.ts';
import type { Executor, Store } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Runs reads on their own connection. */
export interface Reader {
  readonly read: Store['read'];
  /** Keeps reads at the state that they see now, until `refresh`: what is committed next is not on disk yet. */
  readonly hold: () => void;
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
 *
 * @param requireIntact called for each snapshot; throws where nothing may be read any more
 */
export function createReader(connection: SqliteConnection, requireIntact: () => void): Reader {
  let open = false;
  let held = false;
  const executor: Executor & { revision: number | undefined } = {
    db: connection.db,
    all: connection.all,
    revision: undefined,
    now: connection.now,
  };

  function begin(): void {
    requireIntact();
    // For reads as well: the store may have been replaced by a restore, and a key revoked there must not work here.
    connection.requireSameFile();
    connection.run('BEGIN');
    open = true;
    setImmediate(endTurn);
    executor.revision = connection.all(dataVersion, {})[0]?.data_version;
  }

  function endTurn(): void {
    if (!held) end();
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
    hold: () => {
      if (!open) begin();
      held = true;
    },
    refresh: () => {
      held = false;
      end();
    },
  };
}
