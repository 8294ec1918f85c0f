import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import type { SqliteConnection } from './connection.ts';

/** How long to wait for another connection that writes, `rolecall keys` in another process say, in milliseconds. */
const patience = 5000;

/**
 * Begins a transaction that writes. SQLite's own way to wait for its lock would stop the event loop, and for ever where
 * the one who holds the lock is in this same process.
 *
 * @throws StoreUnavailableError when the lock does not come free
 */
export async function beginWrite(connection: SqliteConnection): Promise<void> {
  const deadline = Date.now() + patience;
  while (!tryBegin(connection, Date.now() >= deadline)) await setTimeout(1 + Math.random() * 5);
}

function tryBegin(connection: SqliteConnection, isLast: boolean): boolean {
  try {
    connection.run('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isLast || !(error instanceof StoreUnavailableError && error.busy)) throw error;
    return false;
  }
}
