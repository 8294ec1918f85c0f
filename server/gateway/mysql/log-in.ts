import type { Duplex } from 'node:stream';
import { FatalError } from '../../protocols/fatal-error.ts';
import { okPacket } from '../../protocols/mysql/answers.ts';
import { capability } from '../../protocols/mysql/capabilities.ts';
import {
  findProven,
  type HashVerifier,
  isPlugin,
  newNonce,
  type PluginName,
  pluginOf,
} from '../../protocols/mysql/proofs.ts';
import {
  authSwitch,
  enough,
  greeting,
  type HandshakeResponse,
  isTlsRequest,
  readHandshakeResponse,
} from '../../protocols/mysql/startup.ts';
import { readExactly } from '../../protocols/read-exactly.ts';
import { offered, required } from './capabilities.ts';
import { fatalPacket } from './errors.ts';

/** The longest packet of a log-in, in bytes: the attributes of a client may have 64 KiB. */
const longestPacket = 66 * 1024;

const malformed = 'the answer to the greeting is malformed';
const tooOld = 'the client is too old: it proves its password in a way that the gateway does not know';

/** Plugin by which clients without plugins prove a password. */
const beforePlugins: PluginName = 'mysql_native_password';

/** Requests of a client before it has proven its password. */
export type Answer = { readonly kind: 'tls' } | ({ readonly kind: 'log in' } & HandshakeResponse);

/** The packets of one log-in, which are numbered, within TLS on. */
export class LogInExchange {
  readonly connectionId: number;
  readonly #nonce = newNonce();
  readonly #offered: number;
  #plugin: PluginName = 'caching_sha2_password';
  #sequence = 0;

  /** @param connectionId that the client is told */
  constructor(connectionId: number, hasTls: boolean) {
    this.connectionId = connectionId;
    this.#offered = offered(hasTls);
  }

  /** Greets a client. @param version of a server */
  greet(stream: Duplex, version: string): void {
    this.#plugin = pluginFor(version);
    const { connectionId } = this;
    const [nonce, capabilities, plugin] = [this.#nonce, this.#offered, this.#plugin];
    stream.write(greeting.encode({ version, connectionId, nonce, capabilities, plugin }));
    this.#sequence = 1;
  }

  /** Reads the answer to the greeting. @throws FatalError, ConnectionEndedError */
  async readAnswer(stream: Duplex, signal: AbortSignal): Promise<Answer> {
    const body = await this.#read(stream, signal);
    if (isTlsRequest(body)) return { kind: 'tls' };
    const response = this.#readResponse(body);
    if ((response.capabilities & required) !== required) throw new FatalError('0A000', tooOld);
    // PHP compresses whatever it was offered, and would wait for ever for an answer that is compressed.
    if ((response.capabilities & capability.compress) !== 0) {
      throw new FatalError('0A000', 'compression is refused: not every server has it', 'Connect without it.');
    }
    return { kind: 'log in', ...response };
  }

  /**
   * Asks the client to prove its password.
   *
   * @param find gives what the person's passwords prove; called once, whatever the name is
   * @returns the password that fits
   * @throws FatalError, ConnectionEndedError
   */
  async prove<V extends HashVerifier>(
    stream: Duplex,
    response: HandshakeResponse,
    find: () => Promise<readonly V[]>,
    signal: AbortSignal,
  ): Promise<V> {
    let { proof } = response;
    const knowsPlugins = (response.capabilities & capability.pluginAuth) !== 0;
    const plugin = knowsPlugins ? response.plugin : beforePlugins;
    if (isPlugin(plugin) && proof.length === pluginOf(plugin).proofLength) {
      this.#plugin = plugin;
    } else {
      if (!knowsPlugins) throw new FatalError('0A000', tooOld);
      stream.write(authSwitch.encode(this.#sequence, this.#nonce, this.#plugin));
      this.#sequence += 1;
      proof = await this.#read(stream, signal);
    }
    const password = findProven(this.#plugin, proof, this.#nonce, await find());
    if (password !== undefined) return password;
    throw new FatalError(
      '28P01',
      'the password is wrong, has ended, or belongs to another data source',
      'Make a password with "rolecall connect".',
    );
  }

  /** Tells the client that it is in. */
  welcome(stream: Duplex): void {
    if (pluginOf(this.#plugin).saysEnough) stream.write(enough.encode(this.#sequence++));
    stream.write(okPacket.encode(this.#sequence));
  }

  /** Writes why the client is not let in. */
  refusal(error: FatalError): Buffer {
    return fatalPacket(this.#sequence, error);
  }

  #readResponse(body: Buffer): HandshakeResponse {
    try {
      return readHandshakeResponse(body, this.#offered | capability.compress);
    } catch {
      throw new FatalError('08P01', malformed);
    }
  }

  async #read(stream: Duplex, signal: AbortSignal): Promise<Buffer> {
    const head = await readExactly(stream, 4, signal);
    const length = head.readUIntLE(0, 3);
    if (length === 0 && head[3] === this.#sequence) {
      this.#sequence += 1;
      return Buffer.alloc(0);
    }
    if (length > longestPacket || head[3] !== this.#sequence) throw new FatalError('08P01', malformed);
    this.#sequence += 1;
    return readExactly(stream, length, signal);
  }
}

/**
 * MariaDB's own clients, and those that take its version for an old one, know the plugin that MariaDB has by default. Clients that
 * know only MySQL's newer one begin with that by themselves.
 */
function pluginFor(version: string): PluginName {
  return /mariadb/i.test(version) ? 'mysql_native_password' : 'caching_sha2_password';
}

/** Person that a client says it is, and the data source that it means. */
export interface Wanted {
  readonly username: string;
  /** Alias, name or identifier of the data source. */
  readonly dataSource: string;
  /** The database on the server; undefined for the one that the data source names. */
  readonly database: string | undefined;
}

/**
 * Reads the person and the data source from `ada` and the database `shop`, or from `ada@shop`, which leaves the database for one
 * on the server. A username may have an @ itself, so there may be two readings; the password tells which one is meant.
 *
 * @throws FatalError
 */
export function readWanted({ username, database }: Pick<HandshakeResponse, 'username' | 'database'>): Wanted[] {
  const at = username.lastIndexOf('@');
  const all: Wanted[] = [];
  if (database !== '') all.push({ username, dataSource: database, database: undefined });
  if (at > 0) {
    const onServer = database === '' ? undefined : database;
    all.push({ username: username.slice(0, at), dataSource: username.slice(at + 1), database: onServer });
  }
  if (all.length > 0) return all;
  throw new FatalError('3D000', 'the connection names no data source', 'Write the user as in ada@shop.');
}
