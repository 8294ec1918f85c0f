import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';
import { type AuthPlugin, authPlugins, type Connection, createConnection } from 'mysql2';
import { capability } from '../../protocols/mysql/capabilities.ts';
import { broken } from '../../protocols/mysql/framing.ts';
import { tlsOptions, tlsWords } from '../../protocols/mysql/tls.ts';
import { assertMayTellPassword } from '../../protocols/tls.ts';
import { keepAliveMs, type LoggedIn } from '../connections/raw-connection.ts';
import type { ReusedReads } from '../connections/reused-reads.ts';
import { boundSocket } from '../connections/socket.ts';
import type { Admitted } from '../guard/index.ts';

/** Traits of a client's log-in to the gateway. The session at the database is made to be like that. */
export interface ClientTraits {
  /** Bits that the server is asked for, and no others (MySQL's manual, "Capabilities Flags"). */
  readonly capabilities: number;
  /** The number of a collation. */
  readonly charset: number;
  /** The client's connection attributes, such as its name and version. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Bytes that a server may send until the log-in is over. */
const longestLogIn = 1024 * 1024;

/** A session at a server. The driver, which has logged in, reads the stream until it is taken over. */
export interface MysqlLogIn extends LoggedIn {
  /** As the server numbers it. */
  readonly id: number;
  /** As the server names it in its greeting. */
  readonly version: string;
  /** True if columns are described in MariaDB's form. */
  readonly isExtended: boolean;
}

/**
 * Connects and logs in, using only what the URI says.
 *
 * @param signal closes the connection, also once it is open
 * @param client whose bytes are passed on; default: the driver's own ways
 * @param reads how the socket is read, if not as always
 */
export async function logIn(
  uri: Admitted,
  signal: AbortSignal,
  client?: ClientTraits,
  reads?: ReusedReads,
): Promise<MysqlLogIn> {
  const socket = boundSocket('MySQL', uri, signal, reads).setKeepAlive(true, keepAliveMs);
  const connection = openConnection(uri, socket, client);
  // An error without a listener would end the process.
  connection.on('error', () => undefined);
  const limit = (): void => {
    if (socket.bytesRead > longestLogIn) socket.destroy(new Error(broken));
  };
  socket.on('data', limit);
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
    socket.off('data', limit);
    const { stream, threadId: id, _mariadbExtendedMetadata } = internals(connection);
    const isExtended = _mariadbExtendedMetadata === true;
    return { socket, stream, id, version, isExtended, [Symbol.dispose]: () => socket.destroy() };
  } catch (error) {
    connection.destroy();
    socket.destroy();
    throw error;
  }
}

/** Opens a connection of mysql2 to exactly the target of the URI. @param socket not connected yet; the connection owns it */
function openConnection(uri: ConnectionUri, socket: Socket, client: ClientTraits | undefined): Connection {
  const { user, password, host = '', port = 3306, database, parameters } = uri;
  const ssl = tlsOptions(uri);
  const connection = createConnection({
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === '' ? {} : { database }),
    ...(ssl === undefined ? {} : { ssl }),
    host,
    port,
    charset: parameters['charset'] ?? 'utf8mb4',
    // Never send local files to a server. The others: updates count the rows that they change, a blank after a function's name
    // has its usual meaning, and a command is only its text.
    flags: ['-LOCAL_FILES', '-FOUND_ROWS', '-IGNORE_SPACE', '-CLIENT_QUERY_ATTRIBUTES'],
    ...(client === undefined ? {} : { connectAttributes: client.attributes }),
    connectTimeout: 0,
    // None is prepared by the driver, whose default takes half a MiB of each connection.
    maxPreparedStatements: 1,
    stream: () => socket.setNoDelay(true).connect(port),
    authPlugins: keptPasswords(() => {
      assertMayTellPassword(internals(connection).stream, socket, uri, tlsWords(uri));
    }),
  });
  if ((parameters['ssl-mode'] ?? 'preferred') === 'preferred') {
    // The driver reads this once it knows the server's capabilities.
    const offersTls = () => ((internals(connection).serverCapabilityFlags ?? capability.tls) & capability.tls) !== 0;
    Object.defineProperty(internals(connection).config, 'ssl', { get: () => (offersTls() ? ssl : undefined) });
  }
  if (client !== undefined) imitate(connection, client);
  return connection;
}

/** Makes the driver ask for what a client has asked for. MariaDB's additions change how columns are described, so none of them. */
function imitate(connection: Connection, { capabilities, charset }: ClientTraits): void {
  const { config, _command: handshake } = internals(connection);
  if (handshake?.clientFlags === undefined) throw new Error('this version of mysql2 logs in in another way');
  handshake.clientFlags = capabilities;
  Object.defineProperty(handshake, 'mariadbExtendedClientFlags', { get: () => 0, set: () => undefined });
  Object.assign(config, { charsetNumber: unknownToDriver.has(charset) ? writtenInUtf8(charset) : charset });
}

/** Collations of character sets that the driver cannot write: dec8, hp8, swe7, keybcs2, geostd8 and eucjpms. */
const unknownToDriver = new Set([3, 69, 6, 72, 10, 82, 37, 73, 92, 93, 97, 98]);

/**
 * A collation that the driver sends as this number, and looks up as another one, of UTF-8. The names that it logs in with are
 * right if they are ASCII; otherwise it could not log in at all.
 */
function writtenInUtf8(charset: number): object {
  return { valueOf: () => charset, toString: () => '45' };
}

/** Private members of the driver. */
function internals(connection: Connection) {
  return connection as unknown as {
    stream: Duplex;
    config: object;
    threadId: number;
    serverCapabilityFlags?: number;
    _mariadbExtendedMetadata?: boolean;
    /** The log-in, before it begins. */
    _command?: { clientFlags?: number };
  };
}

/**
 * The authentication methods that may send the password itself, within TLS or encrypted with a key that the server sends. They
 * are stopped before that. The driver itself refuses mysql_clear_password.
 */
function keptPasswords(assertAllowed: () => void): Record<string, AuthPlugin> {
  /** The request of caching_sha2_password for the password, if the server has not cached the user. */
  const fullLogin = Buffer.from([4]);
  const kept =
    (plugin: AuthPlugin, tells: (data: Buffer) => boolean): AuthPlugin =>
    (metadata) => {
      const answer = plugin(metadata);
      return (data) => {
        if (tells(data)) assertAllowed();
        return answer(data);
      };
    };
  return {
    caching_sha2_password: kept(authPlugins.caching_sha2_password(), (data) => data.equals(fullLogin)),
    sha256_password: kept(authPlugins.sha256_password(), () => true),
  };
}
