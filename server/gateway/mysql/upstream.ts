import type { ConnectionUri } from '@rolecall/api';
import { ReusedReads } from '../../databases/connections/reused-reads.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import { type Admitted, atSameAddress, type Guard } from '../../databases/guard/index.ts';
import { converse } from '../../databases/mysql/conversation.ts';
import { killer } from '../../databases/mysql/kill.ts';
import { type ClientTraits, logIn } from '../../databases/mysql/log-in.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { quit } from '../../protocols/mysql/requests.ts';
import type { Upstream } from '../protocol.ts';
import { type Spare, type Spares, spareOn, stopBy } from '../spares.ts';

/** Time limit for connecting and logging in, in milliseconds. */
const connectMs = 10_000;

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
    const uriTimeout = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    return await withDeadline(Math.min(connectMs, uriTimeout), signal, async (bound) =>
      open(await guard.admit(uri, bound), traits, spares, bound),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new FatalError('08001', `the data source cannot be reached: ${describeFailure(error, uri)}`);
  }
}

async function open(uri: Admitted, client: ClientTraits, spares: Spares, signal: AbortSignal): Promise<MysqlUpstream> {
  const { socket, stream, id, version } = await logIn(uri, signal, client, new ReusedReads());
  const { kill, close } = killer(uri, socket, id);
  const there = atSameAddress(uri, socket);
  const spare = spares.join(socket, uri, () => openSpare(there));
  return {
    stream,
    goodbye: quit,
    version,
    id,
    account: JSON.stringify([socket.remoteAddress, socket.remotePort, uri.user]),
    // Unlike KILL QUERY, this cannot come before the statement does.
    stop: (sinceMs) => stopBy(spare(), id, { isLate: sinceMs > 0, other: () => kill('CONNECTION') }),
    close,
  };
}

async function openSpare(uri: Admitted): Promise<Spare> {
  const connection = await withDeadline(connectMs, undefined, (bound) => logIn(uri, bound));
  const { ask } = converse(connection);
  return spareOn(connection.stream, quit, (id) => ask(`KILL CONNECTION ${id}`));
}
