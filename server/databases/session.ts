import type { Admitted } from './guard/index.ts';
import type { ResultWriter } from './rows/result-writer.ts';

/** A connection with a transaction begun, for the commands of one query and nothing else. */
export interface Session {
  /**
   * Runs one command and hands on all it gives.
   *
   * @throws CommandError what the database says; any other error means that the connection is of no use any more
   */
  execute: (command: string, writer: ResultWriter) => Promise<void>;
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
  /** Asks the database, on another connection where need be, to stop what it does now. May come too early or too late. */
  interrupt: () => Promise<void>;
  /** How many bytes have come from the database by now; absent where there is no server. */
  heard?: () => number;
  /** Asks on another connection whether the server answers. @throws when it does not, or the signal aborts */
  probe?: (signal: AbortSignal) => Promise<void>;
  /** Closes at once whatever is open. */
  close: () => void;
}

export interface SessionOptions {
  /** Ends the attempt to open a session, and nothing later. */
  signal: AbortSignal;
  /** How long the database may work on one command; undefined means as long as it takes. */
  statementTimeoutMs: number | undefined;
}

/** Connects and begins a transaction. */
export type OpenSession = (uri: Admitted, options: SessionOptions) => Promise<Session>;

/** A command failed, and the connection is still in order. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Longest row, as the database sends it. A row is held in memory as a whole; that must not take the service down. */
export const longestRow = 16 * 1024 * 1024;

export const rowTooLong = `a row is longer than ${longestRow / 1024 / 1024} MiB: select less of it, as with substring`;
