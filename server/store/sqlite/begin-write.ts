import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError, storeBusy } from '../errors.ts';
import { lockTimeouts } from '../lock-timeouts.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Begins a write transaction. SQLite's own way to wait for its lock would block the event loop, and for ever if this same process
 * holds the lock.
 *
 * @param waitMs how long to wait for another writer, such as `rolecall keys` in another process
 * @throws StoreUnavailableError if the lock is not released in time
 */
export async function beginWrite(connection: SqliteConnection, waitMs = lockTimeouts.write): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!tryBegin(connection, Date.now() >= deadline)) await setTimeout(1 + Math.random() * 5);
}

function tryBegin(connection: SqliteConnection, isLast: boolean): boolean {
  try {
    connection.run('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError && error.busy)) throw error;
    if (isLast) throw storeBusy(error);
    return false;
  }
}
