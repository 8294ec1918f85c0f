import { StoreUnavailableError } from '../errors.ts';
import type { StoreSnapshot } from '../store.ts';
import { openConnection, type SqliteConnection } from './connection.ts';

/** Opens snapshots of the embedded store, each on a connection of its own. */
export class SqliteSnapshots {
  readonly #file: string;
  readonly #open = new Set<SqliteConnection>();
  /** A connection without a snapshot: to open one and to compile its statements takes some milliseconds. */
  #idle: SqliteConnection | undefined;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  readonly open = (): Promise<StoreSnapshot> => Promise.try(() => this.#snapshotOn(this.#begin()));

  /** Ends every snapshot. */
  close(): void {
    this.#isClosed = true;
    this.#idle?.close();
    for (const connection of this.#open) connection.close();
    this.#open.clear();
  }

  #snapshotOn(connection: SqliteConnection): StoreSnapshot {
    let isOpen = true;
    return {
      read: (work) => {
        if (!isOpen || !this.#open.has(connection)) throw new StoreUnavailableError('the snapshot was closed');
        return work(connection);
      },
      close: () => {
        if (isOpen) this.#end(connection);
        isOpen = false;
        return Promise.resolve();
      },
    };
  }

  #begin(): SqliteConnection {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
    const connection = this.#idle ?? openConnection(this.#file, 'read');
    this.#idle = undefined;
    try {
      connection.requireSameFile();
      connection.run('BEGIN');
      // SQLite takes the snapshot with the first read.
      connection.run('SELECT 1 FROM collection_version');
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#open.add(connection);
    return connection;
  }

  #end(connection: SqliteConnection): void {
    if (!this.#open.delete(connection)) return;
    try {
      connection.run('ROLLBACK');
      if (this.#idle === undefined) {
        this.#idle = connection;
        return;
      }
    } catch {
      // The connection is of no more use.
    }
    connection.close();
  }
}
