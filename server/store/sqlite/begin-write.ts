import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError, storeBusy } from '../errors.ts';
import { lockTimeouts } from '../lock-timeouts.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Begins a transaction that writes. SQLite's own way to wait for its lock would stop the event loop, and for ever where
 * the one who holds the lock is in this same process.
 *
 * @param waitMs how long to wait for another connection that writes, `rolecall keys` in another process say
 * @throws StoreUnavailableError when the lock does not come free
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
