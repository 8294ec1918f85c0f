import { mostDeclarations, type OperationId } from '@rolecall/api';

/** The limits on clients that the operator of the service sets. */
export interface Limits {
  /** Requests a second that one API key may make; 0 for any number. Default 2000. */
  rateLimit?: number;
  /** Requests that may come at once after a pause. Default: two seconds' worth, at least 10. */
  rateBurst?: number;
  /** Requests that are worked on at a time; more are answered with 503. One client address may have a quarter. Default 512. */
  maxInFlight?: number;
  /** Open connections; more are closed as they come. One client address may have a quarter. Default 10,000. */
  maxConnections?: number;
  /**
   * Delay of the event loop, in milliseconds, from which requests are answered with 503 while many others are worked on. Default
   * 100.
   */
  maxEventLoopDelay?: number;
  /** Failed authentications that one client address, and one key from it, may make in a row. Default 1000 and 100. */
  maxGuesses?: { address: number; key: number };
  /** Time in which a client has to read 64 KiB of an answer, or its rest, in milliseconds. Default 60,000. */
  unreadMs?: number;
}

export const defaultLimits: Required<Limits> = {
  // More than any front end makes at full speed, and a tenth of what the service can be kept busy with.
  rateLimit: 2000,
  rateBurst: 0,
  maxInFlight: 512,
  maxConnections: 10_000,
  maxEventLoopDelay: 100,
  maxGuesses: { address: 1000, key: 100 },
  unreadMs: 60_000,
};

/** Time limits of a client, in milliseconds. Slower clients would hold connections for nothing. */
export const timeLimits = {
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  /** Between two requests. */
  idle: 65_000,
  /** Interval at which Node looks for connections that are over their limits; by itself only every 30 seconds. */
  lookedEvery: 1000,
};

/**
 * The largest body of a request, in bytes. A snippet's text of 200,000 characters of four bytes, percent-encoded in a form, is
 * 2.4 MB; a command of 1,000,000 characters is at most 4 MB, unless JSON escapes them. To parse a larger one would keep all other
 * requests waiting.
 */
export const bodyLimit = 4 * 1024 * 1024;

/** Operations with a limit of their own. A token is sent without a key, so its sender is unknown. */
export const bodyLimits: Partial<Record<OperationId, number>> = { exchangeToken: 16 * 1024 };

/** Brackets, commas and texts that a JSON body may have: `execute` takes 1000 commands, hardly another operation 100 fields. */
export const jsonTokens = 5000;

/** Operations that take more. One that is declared has 13, and one that is forgotten 11. */
export const jsonTokenLimits: Readonly<Record<string, number>> = {
  recordDeclarations: 25 * mostDeclarations,
} satisfies Partial<Record<OperationId, number>>;
