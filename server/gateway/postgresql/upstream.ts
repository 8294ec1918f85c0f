import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';
import { boundSocket } from '../../databases/connections/socket.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import { type Admitted, atSameAddress, type Guard } from '../../databases/guard/index.ts';
import { type Canceller, cancelKey, canceller } from '../../databases/postgresql/cancel.ts';
import { connectClient } from '../../databases/postgresql/client.ts';
import { FatalError } from '../fatal-error.ts';

/** The longest message during the log-in, in bytes. */
const largestMessage = 1024 * 1024;
/** How long connecting and logging in may take, and how often the connection is probed while it is quiet, in milliseconds. */
const [connectMs, keepAliveMs] = [10_000, 30_000];
/** How long the request to end a session may take, in milliseconds. */
const terminateMs = 1000;

/** A session at the database of a data source, logged in with the account of its URI. */
export interface Upstream {
  /** The socket, or TLS on top of it. */
  readonly stream: Duplex;
  readonly canceller: Canceller;
  /** The settings that the server reported, in their order. */
  readonly settings: ReadonlyMap<string, string>;
  /** Ends the session from another connection: a statement can ignore a cancel, but not this. */
  readonly terminate: () => Promise<void>;
}

/**
 * Connects to a data source, as far as the guard of data sources lets it.
 *
 * @param settings of the session, as the client asks for them
 * @throws FatalError for the client; it has no password
 */
export async function connectUpstream(
  uri: ConnectionUri,
  settings: Readonly<Record<string, string>>,
  guard: Guard,
  signal: AbortSignal,
): Promise<Upstream> {
  try {
    const own = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    return await withDeadline(Math.min(connectMs, own), signal, async (bound) => {
      const admitted = await guard.admit(uri, bound);
      // Makes a busy server notice that this process has died. In the startup packet, so that no RESET undoes it.
      const watched = { ...settings, client_connection_check_interval: '1000' };
      return logIn(admitted, watched, bound).catch((error: unknown) => {
        if (!isUnknownSetting(error)) throw error;
        return logIn(admitted, settings, bound);
      });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new FatalError(
      sqlStateOf(error) ?? '08001',
      `the data source cannot be reached: ${describeFailure(error, uri)}`,
    );
  }
}

async function logIn(
  uri: Admitted,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Upstream> {
  const socket = boundSocket('PostgreSQL', uri, signal);
  // An error without a listener would end the process.
  socket.on('error', () => undefined);
  const reported = new Map<string, string>();
  try {
    const client = await connectClient(uri, socket, largestMessage, settings, (name, value) => {
      reported.set(name, value);
    });
    socket.setKeepAlive(true, keepAliveMs);
    return {
      stream: client.connection.stream,
      canceller: canceller(client, socket, uri),
      settings: reported,
      terminate: () => terminate(atSameAddress(uri, socket), cancelKey(client)?.processID),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function terminate(uri: Admitted, processId: number | undefined): Promise<void> {
  if (processId === undefined) return;
  const signal = AbortSignal.timeout(terminateMs);
  const socket = boundSocket('PostgreSQL', uri, signal);
  socket.on('error', () => undefined);
  try {
    const client = await connectClient(uri, socket, largestMessage);
    await client.query('select pg_catalog.pg_terminate_backend($1)', [processId]);
  } finally {
    socket.destroy();
  }
}

/** Servers before version 14 do not know the setting, and poolers take only some. */
function isUnknownSetting(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === '42704' || code === '08P01';
}

function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
