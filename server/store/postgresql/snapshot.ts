import type pg from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import type { StoreSnapshot } from '../store.ts';
import { translatePostgresError, type UniqueColumns } from './errors.ts';
import { createExecutor, type Send, type StatementNames } from './executor.ts';

/**
 * Opens a snapshot on a connection of the pool, whose transactions are REPEATABLE READ.
 *
 * @throws StoreUnavailableError
 */
export async function openSnapshot(
  pool: pg.Pool,
  names: StatementNames,
  columns: UniqueColumns,
): Promise<StoreSnapshot> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translatePostgresError(error, columns);
  });
  // An error while it is idle; the next statement reports it.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let isOpen = true;
  const send: Send = async (query) => {
    if (!isOpen) throw new StoreUnavailableError('the snapshot was closed');
    try {
      return await client.query(query);
    } catch (error) {
      throw translatePostgresError(error, columns);
    }
  };
  const executor = createExecutor(send, names);
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    const isUsable = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    client.off('error', ignore);
    client.release(!isUsable);
  };
  try {
    // PostgreSQL takes the snapshot with the first statement.
    await send({ text: 'BEGIN' });
    await send({ text: 'SELECT 1' });
  } catch (error) {
    await close();
    throw error;
  }
  return { read: (work) => work(executor), close };
}
