import type { Admitted } from './guard/index.ts';
import type { ResultWriter } from './rows/result-writer.ts';

/** Values that a database binds to the parameters of a command, by their names; `1` is the first where they have none. */
export type Bindings = Readonly<Record<string, string | null>>;

/** A connection with a transaction begun, for the commands of one query and nothing else. */
export interface Session {
  /**
   * Runs one command and passes on its results.
   *
   * @throws CommandError with the database's message; after any other error the connection is unusable
   */
  execute: (command: string, writer: ResultWriter, bindings: Bindings) => Promise<void>;
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
  /** Asks the database to stop its present work, on another connection if necessary. May come too early or too late. */
  interrupt: () => Promise<void>;
  /** Counts the bytes that the database has sent so far; absent if there is no server. */
  heard?: () => number;
  /** Checks on another connection whether the server answers. @throws if it does not, or the signal aborts */
  probe?: (signal: AbortSignal) => Promise<void>;
  /** Closes everything at once. */
  close: () => void;
}

export interface SessionOptions {
  /** Ends the attempt to open a session; has no effect later. */
  signal: AbortSignal;
  /** Time limit of the database for one command, in milliseconds; undefined for none. */
  statementTimeoutMs: number | undefined;
}

/** Connects and begins a transaction. */
export type OpenSession = (uri: Admitted, options: SessionOptions) => Promise<Session>;

/** A command failed, and the connection is still usable. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/**
 * Orders bindings for a database whose parameters have numbers.
 *
 * @throws CommandError if they are not numbered from 1 without a gap
 */
export function numbered(bindings: Bindings): (string | null)[] {
  const names = Object.keys(bindings);
  return names.map((_name, index) => {
    const value = bindings[index + 1];
    if (value !== undefined) return value;
    throw new CommandError(
      `this database numbers the parameters of a command from 1, but these are ${names.join(', ')}`,
    );
  });
}
