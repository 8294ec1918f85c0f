import { promisify } from 'node:util';
import type { ConnectionUri } from '@rolecall/api';
import { ReusedReads } from '../../databases/connections/reused-reads.ts';
import { boundSocket } from '../../databases/connections/socket.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import { type Admitted, atSameAddress, type Guard } from '../../databases/guard/index.ts';
import { type ClientTraits, openConnection, streamOf } from '../../databases/mysql/connection.ts';
import { killer } from '../../databases/mysql/kill.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { quit } from '../../protocols/mysql/requests.ts';
import type { Upstream } from '../protocol.ts';
import { type Spare, type Spares, stopBy } from '../spares.ts';

/** How long connecting and logging in may take, and how often the connection is probed while it is quiet, in milliseconds. */
const [connectMs, keepAliveMs] = [10_000, 30_000];

/** A session at the database of a data source, logged in with the account of its URI. */
export interface MysqlUpstream extends Upstream {
  /** As the server numbers it. */
  readonly id: number;
  /** The server and the account. Sessions with the same one may stop each other. */
  readonly account: string;
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
  { guard, spares }: { guard: Guard; spares: Spares },
  signal: AbortSignal,
): Promise<MysqlUpstream> {
  try {
    const own = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    return await withDeadline(Math.min(connectMs, own), signal, async (bound) =>
      logIn(await guard.admit(uri, bound), traits, spares, bound),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new FatalError('08001', `the data source cannot be reached: ${describeFailure(error, uri)}`);
  }
}

async function logIn(uri: Admitted, traits: ClientTraits, spares: Spares, signal: AbortSignal): Promise<MysqlUpstream> {
  const socket = boundSocket('MySQL', uri, signal, new ReusedReads());
  const connection = openConnection(uri, socket, traits);
  // An error without a listener would end the process.
  connection.on('error', () => undefined);
  try {
    // `promisify` would copy the function and its properties for each connection: a twentieth of what all of this takes.
    const version = await new Promise<string>((resolve, reject) => {
      connection.once('connect', ({ serverVersion }: { serverVersion: string }) => {
        resolve(serverVersion);
      });
      connection.connect((error) => {
        if (error !== null) reject(error);
      });
    });
    socket.setKeepAlive(true, keepAliveMs);
    const { threadId } = connection;
    const { kill, close } = killer(uri, socket, threadId);
    const there = atSameAddress(uri, socket);
    const spare = spares.join(socket, uri, () => openSpare(there));
    return {
      stream: streamOf(connection),
      goodbye: quit,
      version,
      id: threadId,
      account: JSON.stringify([socket.remoteAddress, socket.remotePort, uri.user]),
      // Unlike KILL QUERY, this cannot come before the statement does.
      stop: (sinceMs) => stopBy(spare(), threadId, { isLate: sinceMs > 0, other: () => kill('CONNECTION') }),
      close,
    };
  } catch (error) {
    connection.destroy();
    socket.destroy();
    throw error;
  }
}

async function openSpare(uri: Admitted): Promise<Spare> {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const connection = await withDeadline(connectMs, undefined, async (bound) => {
    const socket = boundSocket('MySQL', uri, bound).setKeepAlive(true, keepAliveMs);
    const opened = openConnection(uri, socket.once('close', resolve));
    // An error without a listener would end the process.
    opened.on('error', () => undefined);
    await promisify(opened.connect.bind(opened))();
    return opened;
  });
  return {
    end: (id) => promisify<string, unknown>(connection.query.bind(connection))(`KILL CONNECTION ${id}`),
    closed,
    close: () => {
      connection.destroy();
    },
  };
}
