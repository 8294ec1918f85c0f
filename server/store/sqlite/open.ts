import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { migrateStore } from '../migrate.ts';
import { patience } from '../patience.ts';
import type { AppendEntries, Store } from '../store.ts';
import { beginWrite } from './begin-write.ts';
import { openConnection, type SqliteConnection } from './connection.ts';
import { createReader } from './reader.ts';
import { createWriter } from './writer.ts';

/**
 * Opens the embedded store of a data folder, made if it is absent and migrated if it is old.
 *
 * Writes have a connection of their own, so that no read ever sees what is not committed yet.
 *
 * @param append writes the audit trail; left out, nothing may be recorded
 * @param committed is told how many writes each commit had
 * @throws StoreVersionError, StoreUnavailableError
 */
export async function openSqliteStore(
  dataDir: string,
  append?: AppendEntries,
  committed?: (writes: number) => void,
): Promise<Store> {
  const file = path.join(dataDir, 'rolecall.db');
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(file, 'a', 0o600));
  const writing = openConnection(file, 'write');
  try {
    const { db } = writing;
    await migrateStore({ kind: 'sqlite', db, alone: (work) => alone(writing, () => work(db)) });
    const reading = openConnection(file, 'read');
    const reader = createReader(reading);
    const afterCommit = (writes: number) => {
      reader.refresh();
      committed?.(writes);
    };
    const writer = createWriter(writing, afterCommit, append);
    return {
      read: reader.read,
      write: writer.write,
      replicas: undefined,
      close: async () => {
        await writer.close();
        reader.refresh();
        reading.close();
        writing.close();
      },
    };
  } catch (error) {
    writing.close();
    throw error;
  }
}

/** With the lock of a write from the beginning: two processes would otherwise both find the old version. */
async function alone<T>(connection: SqliteConnection, work: () => Promise<T>): Promise<T> {
  await beginWrite(connection, patience.open);
  try {
    const value = await work();
    connection.run('COMMIT');
    return value;
  } catch (error) {
    connection.run('ROLLBACK');
    throw error;
  }
}
