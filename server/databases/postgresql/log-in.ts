import { hash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';
import { backendKeyData, errorResponse, parameterStatus, server } from '../../protocols/postgresql/answers.ts';
import { authentication, passwordMessage, sasl } from '../../protocols/postgresql/authentication.ts';
import { headerLength, notPostgresql, readMessage } from '../../protocols/postgresql/framing.ts';
import { ScramClient } from '../../protocols/postgresql/scram.ts';
import { type CancelKey, startupMessage } from '../../protocols/postgresql/startup.ts';
import { openStream, tlsWords } from '../../protocols/postgresql/tls.ts';
import { ConnectionEndedError } from '../../protocols/read-exactly.ts';
import { assertMayTellPassword } from '../../protocols/tls.ts';
import { keepAliveMs, type LoggedIn } from '../connections/raw-connection.ts';
import type { ReusedReads } from '../connections/reused-reads.ts';
import { boundSocket } from '../connections/socket.ts';
import type { Admitted } from '../guard/index.ts';
import { ServerError } from './server-error.ts';

/** Bytes that a server may send until the log-in is over. */
const longestLogIn = 1024 * 1024;

/** A session at a server. Nothing reads its stream yet. */
export interface PostgresLogIn extends LoggedIn {
  /** Undefined if the server sent none, as some poolers do: closing the connection is then the only way to cancel. */
  readonly key: CancelKey | undefined;
  /** The settings that the server reported, in their order. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Reads the server's next message, notices aside. @throws ServerError where it refuses the log-in */
type ReadAnswer = () => Promise<{ type: number; body: Buffer }>;

/**
 * Connects and logs in, using only what the URI says. Anyone may name a host, so nothing comes from the environment or from files
 * of the service's user, which would hand the service's own credentials to that host.
 *
 * @param signal closes the connection, also once it is open
 * @param settings of the session, which the server takes as it opens it
 * @param reads how the socket is read, if not as always
 */
export async function logIn(
  uri: Admitted,
  signal: AbortSignal,
  settings: Readonly<Record<string, string>> = ownSettings(uri),
  reads?: ReusedReads,
): Promise<PostgresLogIn> {
  const { user = '', database } = uri;
  const socket = boundSocket('PostgreSQL', uri, signal, reads).setKeepAlive(true, keepAliveMs);
  try {
    const stream = await openStream(socket, uri);
    const ended = new AbortController();
    stream.on('error', (error) => {
      ended.abort(error);
    });
    stream.once('close', () => {
      ended.abort(new ConnectionEndedError());
    });
    const read = answersOf(stream, ended.signal);
    stream.write(startupMessage.encode({ user, database: database === '' ? user : database, ...settings }));
    // A server may ask for the password itself at any moment of a log-in.
    await authenticate(uri, stream, read, () => {
      assertMayTellPassword(stream, socket, uri, tlsWords(uri));
    });
    return { socket, stream, ...(await readSession(read)), [Symbol.dispose]: () => socket.destroy() };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function ownSettings({ parameters }: ConnectionUri): Readonly<Record<string, string>> {
  return { client_encoding: 'UTF8', application_name: parameters['application_name'] ?? 'Rolecall' };
}

function answersOf(stream: Duplex, signal: AbortSignal): ReadAnswer {
  let left = longestLogIn;
  const check = (_type: number, length: number): void => {
    left -= headerLength + length;
    if (length < 0 || left < 0) throw new Error(notPostgresql);
  };
  return async () => {
    for (;;) {
      const { type, body } = await readMessage(stream, signal, check);
      if (type === server.error) throw new ServerError(errorResponse.decode(body, 0, body.length));
      if (type !== server.notice) return { type, body };
    }
  };
}

/** Answers what the server asks for, until it lets the client in. @param assertMayTell throws where it must not get the password */
async function authenticate(
  { user = '', password = '' }: ConnectionUri,
  stream: Duplex,
  read: ReadAnswer,
  assertMayTell: () => void,
): Promise<void> {
  const next = async (): Promise<ReturnType<typeof authentication.decode>> => {
    const { type, body } = await read();
    if (type !== server.authentication) throw new Error(notPostgresql);
    return authentication.decode(body);
  };
  const { kind, data } = await next();
  switch (kind) {
    case authentication.kind.ok:
      return;
    case authentication.kind.cleartext:
      if (password !== '') assertMayTell();
      stream.write(passwordMessage.encode(password));
      break;
    case authentication.kind.md5:
      stream.write(passwordMessage.encode(md5Of(user, password, data)));
      break;
    case authentication.kind.sasl: {
      const exchange = new ScramClient(password);
      const { mechanism, response } = exchange.begin(sasl.mechanisms.decode(data));
      stream.write(sasl.initialResponse.encode(mechanism, response));
      const first = requireKind(authentication.kind.saslContinue, await next());
      stream.write(sasl.response.encode(await exchange.prove(first)));
      exchange.verify(requireKind(authentication.kind.saslFinal, await next()));
      break;
    }
    default:
      throw new Error(`the server asks for a log-in that is not known here (kind ${kind})`);
  }
  // It may ask once: each answer costs thousands of rounds of hashing.
  requireKind(authentication.kind.ok, await next());
}

function requireKind(wanted: number, { kind, data }: ReturnType<typeof authentication.decode>): string {
  if (kind !== wanted) throw new Error(notPostgresql);
  return data.toString();
}

/** Hashes a password as servers did before SCRAM (PostgreSQL's manual, "Protocol Flow"). */
function md5Of(user: string, password: string, salt: Buffer): string {
  const inner = hash('md5', password + user);
  return `md5${hash('md5', Buffer.concat([Buffer.from(inner), salt]))}`;
}

/** Reads what the server tells of the session, until it is ready. */
async function readSession(read: ReadAnswer): Promise<Pick<PostgresLogIn, 'key' | 'settings'>> {
  const settings = new Map<string, string>();
  let key: CancelKey | undefined;
  for (;;) {
    const { type, body } = await read();
    if (type === server.ready) return { key, settings };
    if (type === server.key) key = backendKeyData.decode(body);
    else if (type === server.parameter) {
      const { name, value } = parameterStatus.decode(body, 0, body.length);
      settings.set(name, value);
    } else throw new Error(notPostgresql);
  }
}
