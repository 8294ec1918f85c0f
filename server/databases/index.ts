import { type ConnectionUri, ConnectionUriError, type DataSourceType, parseConnectionUri } from '@rolecall/api';
import { withDeadline } from './deadline.ts';
import type { Dialect, ServerVersion } from './dialect.ts';
import { describeFailure } from './failure.ts';
import type { Guard } from './guard/index.ts';

export type { ServerVersion } from './dialect.ts';

const mysql = async (): Promise<Dialect> => (await import('./mysql/index.ts')).mysql;

/** A driver is loaded when it is first needed (see run.ts). */
const dialects: Readonly<Record<DataSourceType, () => Promise<Dialect>>> = {
  postgresql: async () => (await import('./postgresql/index.ts')).postgresql,
  mysql,
  mariadb: mysql,
  sqlite: async () => (await import('./sqlite/index.ts')).sqlite,
};

/** The answer of the test operation, in the form of the API. */
export type TestOutcome =
  | { success: true; version: ServerVersion; warning?: string }
  | { success: false; message: string };

export interface TestOptions {
  guard: Guard;
  /** Time limit of the whole test, in milliseconds; the URI's own `connect_timeout` shortens it. Default 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Connects to a data source and asks the server for its version. Ends in time whatever the server does, and leaves no
 * socket, timer or process behind.
 *
 * @param uri its parts, or its text
 * @returns the version, or the driver's own message without the password
 * @throws only the reason of a signal that aborted
 */
export async function testConnection(
  uri: ConnectionUri | string,
  { guard, timeoutMs = 10_000, signal }: TestOptions,
): Promise<TestOutcome> {
  let parsed: ConnectionUri | undefined;
  try {
    parsed = typeof uri === 'string' ? parseConnectionUri(uri) : uri;
    const target = parsed;
    const uriTimeout = Number(parsed.parameters['connect_timeout'] ?? Infinity) * 1000;
    const dialect = await dialects[parsed.type]();
    const { version, warning } = await withDeadline(Math.min(timeoutMs, uriTimeout), signal, async (bound) =>
      dialect.readVersion(await guard.admit(target, bound), bound),
    );
    return { success: true, version, ...(warning === undefined ? {} : { warning }) };
  } catch (error) {
    signal?.throwIfAborted();
    const message = describeFailure(error, parsed);
    return { success: false, message: error instanceof ConnectionUriError ? `the connection URI ${message}` : message };
  }
}
