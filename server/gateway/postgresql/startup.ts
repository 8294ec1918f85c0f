import { FatalError } from '../fatal-error.ts';

/** What a client asks for before it logs in. */
export type StartPacket =
  | { readonly kind: 'gss' | 'tls' }
  | { readonly kind: 'cancel'; readonly processId: number; readonly secret: Buffer }
  | { readonly kind: 'session'; readonly minor: number; readonly parameters: ReadonlyMap<string, string> };

/** The longest packet before the log-in, in bytes: PostgreSQL's own limit. */
export const longestStart = 10_000;

const codes = { cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 };

/** The newest minor version of protocol 3 that the gateway speaks; from it on, cancel keys may be longer than 4 bytes. */
export const newestMinor = 2;

/**
 * Reads a packet before the log-in, without its length.
 *
 * @throws FatalError
 */
export function readStart(body: Buffer): StartPacket {
  const code = body.readUInt32BE(0);
  if (code === codes.gss || code === codes.tls) {
    if (body.length !== 4) throw new FatalError('08P01', 'the request for encryption is malformed');
    return { kind: code === codes.gss ? 'gss' : 'tls' };
  }
  if (code === codes.cancel) {
    const secret = Buffer.from(body.subarray(8));
    if (secret.length < 4 || secret.length > 256) throw new FatalError('08P01', 'the request to cancel is malformed');
    return { kind: 'cancel', processId: body.readInt32BE(4), secret };
  }
  const [major, minor] = [code >>> 16, code & 0xffff];
  if (major !== 3) {
    throw new FatalError(
      '0A000',
      `protocol ${major}.${minor} is not spoken here: the gateway speaks PostgreSQL's 3.0 to 3.2`,
    );
  }
  return { kind: 'session', minor, parameters: readParameters(body) };
}

function readParameters(body: Buffer): Map<string, string> {
  const texts = body.toString('utf8', 4).split('\0');
  // Pairs, then an empty name, then what follows its NUL.
  if (texts.length % 2 !== 0 || texts.at(-1) !== '' || texts.at(-2) !== '') {
    throw new FatalError('08P01', 'the startup packet is malformed');
  }
  const parameters = new Map<string, string>();
  for (let index = 0; index < texts.length - 2; index += 2) parameters.set(texts[index] ?? '', texts[index + 1] ?? '');
  return parameters;
}

/** What the startup packet asks for. */
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
