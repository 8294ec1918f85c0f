import { StoreUnavailableError, UniqueError } from '../errors.ts';

const uniqueViolations = new Set([2067, 1555]); // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
const busyCode = 5;
const fullCode = 13;
/** SQLITE_PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN: of the machine, not of the statement. */
const unavailable = new Set([3, 5, 6, 7, 8, 10, 13, 14]);

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damage = [11, 26];

/** True if the error means that a file is damaged or not a SQLite database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && damage.includes(Number(error.errcode) & 0xff);
}

/** Turns an error of SQLite into one that the service knows; returns any other as it is. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  if (uniqueViolations.has(error.errcode)) {
    const column = /^UNIQUE constraint failed: ([a-z_.]+)/.exec(error.message)?.[1];
    if (column !== undefined) return new UniqueError(column);
  }
  // The low byte is the primary code of SQLite's extended ones.
  const code = error.errcode & 0xff;
  if (unavailable.has(code)) {
    return new StoreUnavailableError(`the store cannot be used: ${error.message}`, {
      busy: code === busyCode,
      full: code === fullCode,
      cause: error,
    });
  }
  return error;
}
