import type pg from 'pg';
import { isSessionLost, translatePostgresError, type UniqueColumns } from './errors.ts';
import type { Send } from './executor.ts';

/** What has taken longer than this, in milliseconds, is not tried again: the client has waited long enough. */
const patience = 1000;

/**
 * Reads on any connection that is free. What fails because its connection is gone, as all are after a restart of the
 * server, is read once more on another one.
 */
export function sendToPool(pool: pg.Pool, columns: UniqueColumns): Send {
  return async (query) => {
    const begun = performance.now();
    try {
      return await pool.query(query);
    } catch (error) {
      const translated = translatePostgresError(error, columns);
      if (!isSessionLost(translated) || performance.now() - begun > patience) throw translated;
    }
    try {
      return await pool.query(query);
    } catch (error) {
      throw translatePostgresError(error, columns);
    }
  };
}
