import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';
import { type AuthPlugin, authPlugins, type Connection, createConnection } from 'mysql2';
import { capability } from '../../protocols/mysql/capabilities.ts';
import { tlsOptions, tlsWords } from '../../protocols/mysql/tls.ts';
import { assertMayTellPassword } from '../../protocols/tls.ts';

/** How a client has logged in to the gateway. The session at the database is made to be like that. */
export interface ClientTraits {
  /** Bits that the server is asked for, and no others (MySQL's manual, "Capabilities Flags"). */
  readonly capabilities: number;
  /** The number of a collation. */
  readonly charset: number;
  /** The client's connection attributes, such as its name and version. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Opens a connection of mysql2 to exactly the target of the URI.
 *
 * @param socket not connected yet, and bound to the admitted addresses; the connection owns it
 * @param client whose bytes are passed on; default: the driver's own ways
 */
export function openConnection(uri: ConnectionUri, socket: Socket, client?: ClientTraits): Connection {
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
      assertMayTellPassword(streamOf(connection), socket, uri, tlsWords(uri));
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
    serverCapabilityFlags?: number;
    /** The log-in, before it begins. */
    _command?: { clientFlags?: number };
  };
}

/** The socket of a connection, or TLS on top of it. */
export function streamOf(connection: Connection): Duplex {
  return internals(connection).stream;
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
