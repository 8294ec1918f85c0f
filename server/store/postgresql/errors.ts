import { DatabaseError } from 'pg';
import { describeFailure } from '../../databases/failure.ts';
import { StoreUnavailableError, storeBusy, UniqueError } from '../errors.ts';

/** Names the first column of a unique index, as `table.column`; undefined for an index that is not known. */
export type UniqueColumns = (index: string) => string | undefined;

const uniqueViolation = '23505';
const diskFull = '53100';
const lockNotAvailable = '55P03';

/**
 * SQLSTATE classes and codes (PostgreSQL's manual, appendix A) that are of the server and its state, not of the statement:
 * connections, log-in, transactions that collided, resources, an operator's intervention, the system below.
 */
const unavailable = /^(08|28|3D|40|53|57|58)|^(25006|25P03|25P04|42501|55P03|XX001|XX002)$/;

/** Two transactions collided: trying again may do. */
const collided = /^40/;

/** Gives an error of PostgreSQL, or of the connection to it, the class that the rest of the service knows. */
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

/** What is no answer of the server is a connection that was not made, broke, or is silent. */
export function connectionError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`the store cannot be reached: ${describeFailure(error, undefined)}`, {
    cause: error,
  });
}

/** Whether the session is over, so that the same may be tried in another one. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError)) return false;
  const { cause } = error;
  if (!(cause instanceof DatabaseError)) return true;
  return cause.severity === 'FATAL' || cause.severity === 'PANIC';
}
