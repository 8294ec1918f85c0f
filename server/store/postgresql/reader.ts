import type pg from 'pg';
import { isSessionLost, translatePostgresError, type UniqueColumns } from './errors.ts';
import type { Send } from './executor.ts';

/** A read that took longer than this, in milliseconds, is not retried: the client has waited long enough. */
const retryLimit = 1000;

/**
 * Reads on any free connection. If its connection is lost, as all are after a restart of the server, it retries once on another
 * one.
 */
export function sendToPool(pool: pg.Pool, columns: UniqueColumns): Send {
  return async (query) => {
    const begun = performance.now();
    try {
      return await pool.query(query);
    } catch (error) {
      const translated = translatePostgresError(error, columns);
      if (!isSessionLost(translated) || performance.now() - begun > retryLimit) throw translated;
    }
    try {
      return await pool.query(query);
    } catch (error) {
      throw translatePostgresError(error, columns);
    }
  };
}
