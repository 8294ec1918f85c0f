import type { Writable } from 'node:stream';
import pg from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import { connectionError, isSessionLost, translatePostgresError, type UniqueColumns } from './errors.ts';
import type { Send } from './executor.ts';

/**
 * The lock that every write of every replica takes first, "rolecall" in ASCII. With it, writes run strictly one after another,
 * and each statement (READ COMMITTED) sees all earlier commits: what a handler has checked stays true until it commits, and no
 * two writes deadlock.
 */
const lockKey = '8245928625453493356';

/**
 * Runs work in a transaction, while no other write of any replica runs.
 *
 * @param columns for the errors of statements
 * @throws StoreUnavailableError; with `maybeStored` if the connection ended during the commit
 */
export async function writeTransaction<T>(
  pool: pg.Pool,
  columns: UniqueColumns,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translatePostgresError(error, columns);
  });
  let lost: Error | undefined;
  const onError = (error: Error): void => {
    lost = error;
  };
  client.on('error', onError);
  const send: Send = async (query) => {
    sendTogether(client.connection.stream);
    try {
      return await client.query(query);
    } catch (error) {
      throw translatePostgresError(error, columns);
    }
  };
  let usable = false;
  try {
    await send({ text: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey})` });
    const value = await work(send);
    // Nothing was committed, so a retry is safe.
    if (lost !== undefined) throw connectionError(lost);
    await commit(client);
    usable = true;
    return value;
  } catch (error) {
    usable = !isSessionLost(error) && (await rollBack(send));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(!usable);
  }
}

/** Holds what is written until the work waits, so that its statements take one call of the system instead of one each. */
function sendTogether(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

async function commit(client: pg.PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query('COMMIT'));
  } catch (error) {
    // The server reports that it has not committed, unless it was stopped in the middle.
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') {
      throw translatePostgresError(error, () => undefined);
    }
    throw new StoreUnavailableError('the connection to the store ended during a commit', {
      maybeStored: true,
      cause: error,
    });
  }
  if (command !== 'COMMIT') throw new StoreUnavailableError('the store undid the transaction instead of committing it');
}

async function rollBack(send: Send): Promise<boolean> {
  try {
    await send({ text: 'ROLLBACK' });
    return true;
  } catch {
    return false;
  }
}
