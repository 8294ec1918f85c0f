import { hash, type X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { FatalError } from '../../protocols/fatal-error.ts';
import { authentication, clientAnswer, sasl } from '../../protocols/postgresql/authentication.ts';
import { readMessage } from '../../protocols/postgresql/framing.ts';
import { ScramError, ScramServer, type Verifier } from '../../protocols/postgresql/scram.ts';

/** The longest message of a log-in, in bytes. */
const longestMessage = 2048;

/**
 * Logs a client in with SCRAM.
 *
 * @param find gives what the person's passwords prove; called once, whatever the name is
 * @returns the password that fits, and the last message of SCRAM
 * @throws FatalError
 */
export async function logIn<V extends Verifier>(
  stream: Duplex,
  find: () => Promise<readonly V[]>,
  signal: AbortSignal,
): Promise<{ verifier: V; answer: string }> {
  const exchange = new ScramServer(certificateHash(stream));
  const read = async (): Promise<Buffer> => (await readMessage(stream, signal, requireAnswer)).body;
  try {
    stream.write(sasl.mechanisms.encode(exchange.mechanisms));
    const { mechanism, response } = sasl.initialResponse.decode(await read());
    stream.write(authentication.encode(authentication.kind.saslContinue, exchange.begin(mechanism, response)));
    const [message, candidates] = await Promise.all([read(), find()]);
    const result = exchange.finish(sasl.response.decode(message), candidates);
    if (result !== undefined) return result;
  } catch (error) {
    if (error instanceof ScramError) throw new FatalError('28000', error.message);
    throw error;
  }
  throw new FatalError(
    '28P01',
    'the password is wrong, has ended, or belongs to another data source',
    'Make a password with "rolecall connect".',
  );
}

function requireAnswer(type: number, length: number): void {
  if (type === clientAnswer && length > 0 && length <= longestMessage) return;
  throw new FatalError('08P01', 'the client answered the request for a password with another message');
}

/** The hash that binds a log-in to the certificate of this connection (tls-server-end-point, RFC 5929); undefined without TLS. */
function certificateHash(stream: Duplex): Buffer | undefined {
  const certificate = stream instanceof TLSSocket ? stream.getX509Certificate() : undefined;
  return certificate === undefined ? undefined : endPointHash(certificate);
}

/** @returns undefined for a certificate whose signature names no hash, such as one by Ed25519 */
export function endPointHash({ raw, signatureAlgorithm = '' }: X509Certificate): Buffer | undefined {
  const [, bits] = /sha-?(1|224|256|384|512)/i.exec(signatureAlgorithm) ?? [];
  // SHA-1 counts as SHA-256 here.
  return bits === undefined ? undefined : hash(bits === '1' ? 'sha256' : `sha${bits}`, raw, 'buffer');
}

/** The request of a startup packet. */
export interface Wanted {
  readonly username: string;
  /** Alias, name or identifier of the data source. */
  readonly dataSource: string;
  /** Settings of the session, for the database. */
  readonly settings: Readonly<Record<string, string>>;
  /** Options of the protocol that the gateway does not know. */
  readonly unknown: readonly string[];
}

/** The settings that clients and drivers send, by their names in lower case. Others can be set once the session is open. */
const passedOn = new Set([
  'application_name',
  'bytea_output',
  'client_encoding',
  'client_min_messages',
  'datestyle',
  'default_transaction_isolation',
  'default_transaction_read_only',
  'extra_float_digits',
  'geqo',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'intervalstyle',
  'jit',
  'lock_timeout',
  'options',
  'search_path',
  'standard_conforming_strings',
  'statement_timeout',
  'timezone',
  'work_mem',
]);

/**
 * Holds a startup packet to what the gateway passes on. The person and the data source are in `user` and `database`, or in
 * `user` alone, as in `ada@shop`.
 *
 * @throws FatalError
 */
export function readWanted(parameters: ReadonlyMap<string, string>): Wanted {
  const settings: Record<string, string> = {};
  const unknown: string[] = [];
  const [user = '', database = ''] = [parameters.get('user'), parameters.get('database')];
  for (const [name, value] of parameters) {
    const key = name.toLowerCase();
    if (key === 'user' || key === 'database') continue;
    if (key === 'replication') {
      if (!['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())) {
        throw new FatalError('0A000', 'replication is refused: the gateway is for queries');
      }
    } else if (name.startsWith('_pq_.')) unknown.push(name);
    else if (passedOn.has(key)) settings[name] = value;
    else {
      const remedy = `leave it out, and run SET ${name} once you are connected`;
      throw new FatalError('42704', `the gateway passes on no startup parameter "${name}"`, remedy);
    }
  }
  const at = user.lastIndexOf('@');
  // psql names the user as the database when it is given none.
  const isJoined = at > 0 && (database === '' || database === user);
  const [username, dataSource] = isJoined ? [user.slice(0, at), user.slice(at + 1)] : [user, database];
  if (username === '' || dataSource === '') {
    const remedy = 'Write user=ada dbname=shop, or user=ada@shop.';
    throw new FatalError('3D000', 'the connection names no data source', remedy);
  }
  return { username, dataSource, settings, unknown };
}
