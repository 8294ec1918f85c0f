import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError, storeBusy } from '../errors.ts';
import { lockTimeouts } from '../lock-timeouts.ts';
import { migrateStore } from '../migrate.ts';
import type { AppendEntries, Store } from '../store.ts';
import { beginWrite } from './begin-write.ts';
import { openConnection, type SqliteConnection } from './connection.ts';
import { createReader } from './reader.ts';
import { SqliteSnapshots } from './snapshots.ts';
import { createWriter } from './writer.ts';

/**
 * Opens the embedded store of a data folder. Creates it if it is missing, and migrates it if it is old.
 *
 * Writes have a connection of their own, so that reads never see uncommitted changes.
 *
 * @param append writes the audit trail; without it, nothing may be recorded
 * @param committed gets the number of writes in each commit
 * @throws StoreVersionError, StoreUnavailableError
 */
export async function openSqliteStore(
  dataDir: string,
  append?: AppendEntries,
  committed?: (writes: number) => void,
): Promise<Store> {
  const file = path.join(dataDir, 'rolecall.db');
  // SQLite gives its other files the mode of this one. Not while a connection is open: closing the file would end its locks.
  closeSync(openSync(file, 'a', 0o600));
  const opened: SqliteConnection[] = [];
  const close = () => {
    for (const connection of opened.reverse()) connection.close();
  };
  try {
    const writing = await connect(file, 'write');
    opened.push(writing);
    const reading = await connect(file, 'read');
    opened.push(reading);
    // On the connection that waits for locks: another process may be ending and cleaning up the log.
    await migrateStore({ kind: 'sqlite', db: reading.db, alone: (work) => alone(writing, () => work(writing.db)) });
    const reader = createReader(reading);
    const snapshots = new SqliteSnapshots(file);
    const afterCommit = (writes: number) => {
      reader.refresh();
      committed?.(writes);
    };
    const writer = createWriter(writing, afterCommit, append);
    return {
      read: reader.read,
      snapshot: snapshots.open,
      write: writer.write,
      replicas: undefined,
      close: async () => {
        await writer.close();
        snapshots.close();
        reader.refresh();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** A process that creates a store, or recovers it after a crash, briefly locks the others out, longer on a busy machine. */
async function connect(file: string, use: 'read' | 'write'): Promise<SqliteConnection> {
  const deadline = Date.now() + lockTimeouts.open;
  for (;;) {
    try {
      return openConnection(file, use);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError && error.busy)) throw error;
      if (Date.now() >= deadline) throw storeBusy(error);
      await setTimeout(10);
    }
  }
}

/** Takes the write lock first: otherwise two processes could both find the old version. */
async function alone<T>(connection: SqliteConnection, work: () => Promise<T>): Promise<T> {
  await beginWrite(connection, lockTimeouts.open);
  try {
    const value = await work();
    connection.run('COMMIT');
    return value;
  } catch (error) {
    connection.run('ROLLBACK');
    throw error;
  }
}
