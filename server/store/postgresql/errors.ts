import { DatabaseError } from 'pg';
import { describeFailure } from '../../databases/failure.ts';
import { StoreUnavailableError, storeBusy, UniqueError } from '../errors.ts';

/** Names the first column of a unique index, as `table.column`; undefined for an unknown index. */
export type UniqueColumns = (index: string) => string | undefined;

const uniqueViolation = '23505';
const diskFull = '53100';
const lockNotAvailable = '55P03';

/**
 * SQLSTATE classes and codes (PostgreSQL's manual, appendix A) that concern the server's state, not the statement: connections,
 * log-in, colliding transactions, resources, an operator's intervention, system errors.
 */
const unavailable = /^(08|28|3D|40|53|57|58)|^(25006|25P03|25P04|42501|55P03|XX001|XX002)$/;

/** Two transactions collided: a retry may succeed. */
const collided = /^40/;

/** Turns an error of PostgreSQL, or of the connection to it, into one that the service knows. */
export function translatePostgresError(error: unknown, columns: UniqueColumns): unknown {
  if (!(error instanceof DatabaseError)) return connectionError(error);
  const { code = '', constraint = '' } = error;
  if (code === uniqueViolation) {
    const column = columns(constraint);
    return column === undefined ? error : new UniqueError(column);
  }
  if (!unavailable.test(code)) return error;
  if (code === lockNotAvailable) return storeBusy(error);
  return new StoreUnavailableError(`the store cannot be used: ${describeFailure(error, undefined)}`, {
    busy: collided.test(code),
    full: code === diskFull,
    cause: error,
  });
}

/** Anything but an answer of the server is a connection that failed, broke, or is silent. */
export function connectionError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`the store cannot be reached: ${describeFailure(error, undefined)}`, {
    cause: error,
  });
}

/** True if the session has ended, so that another one may retry. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError)) return false;
  const { cause } = error;
  if (!(cause instanceof DatabaseError)) return true;
  return cause.severity === 'FATAL' || cause.severity === 'PANIC';
}
