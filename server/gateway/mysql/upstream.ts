import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import type { ConnectionUri } from '@rolecall/api';
import { boundSocket } from '../../databases/connections/socket.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import type { Admitted, Guard } from '../../databases/guard/index.ts';
import { type ClientTraits, openConnection, streamOf } from '../../databases/mysql/connection.ts';
import { type Killer, killer } from '../../databases/mysql/kill.ts';
import { FatalError } from '../fatal-error.ts';

/** How long connecting and logging in may take, and how often the connection is probed while it is quiet, in milliseconds. */
const [connectMs, keepAliveMs] = [10_000, 30_000];

/** A session at the database of a data source, logged in with the account of its URI. */
export interface Upstream {
  /** The socket, or TLS on top of it. */
  readonly stream: Duplex;
  readonly killer: Killer;
  /** As the server names it in its greeting. */
  readonly version: string;
}

/**
 * Connects to a data source, as far as the guard of data sources lets it.
 *
 * @param traits of the client, which the session at the database has too
 * @throws FatalError for the client; it has no password
 */
export async function connectUpstream(
  uri: ConnectionUri,
  traits: ClientTraits,
  guard: Guard,
  signal: AbortSignal,
): Promise<Upstream> {
  try {
    const own = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    return await withDeadline(Math.min(connectMs, own), signal, async (bound) =>
      logIn(await guard.admit(uri, bound), traits, bound),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new FatalError('08001', `the data source cannot be reached: ${describeFailure(error, uri)}`);
  }
}

async function logIn(uri: Admitted, traits: ClientTraits, signal: AbortSignal): Promise<Upstream> {
  const socket = boundSocket('MySQL', uri, signal);
  const connection = openConnection(uri, socket, traits);
  // An error without a listener would end the process.
  connection.on('error', () => undefined);
  try {
    const connected = new Promise<string>((resolve) => {
      connection.once('connect', ({ serverVersion }: { serverVersion: string }) => {
        resolve(serverVersion);
      });
    });
    await promisify(connection.connect.bind(connection))();
    socket.setKeepAlive(true, keepAliveMs);
    const id = connection.threadId;
    return { stream: streamOf(connection), killer: killer(uri, socket, id), version: await connected };
  } catch (error) {
    connection.destroy();
    socket.destroy();
    throw error;
  }
}
