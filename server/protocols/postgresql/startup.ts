/** Packets of a client before it logs in (PostgreSQL's manual, "Message Formats"). */

import { FatalError } from '../fatal-error.ts';
import { int32 } from './fields.ts';

/** The key of a session, by which its client cancels from another connection. */
export interface CancelKey {
  readonly processId: number;
  readonly secret: Buffer;
}

type StartPacket =
  | { readonly kind: 'gss' | 'tls' }
  | ({ readonly kind: 'cancel' } & CancelKey)
  | { readonly kind: 'session'; readonly minor: number; readonly parameters: ReadonlyMap<string, string> };

/** The longest packet before the log-in, in bytes: PostgreSQL's own limit. */
export const longestStart = 10_000;

const codes = { cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 };

/** The version of the protocol: 3, and no minor version. */
export const protocol3 = 3 << 16;

/** The newest minor version of protocol 3; from it on, cancel keys may be longer than 4 bytes. */
export const newestMinor = 2;

export const encryptionRequest = {
  encode: (kind: 'gss' | 'tls'): Buffer => framed(int32(codes[kind])),
};

export const cancelRequest = {
  encode: ({ processId, secret }: CancelKey): Buffer => framed(int32(codes.cancel), int32(processId), secret),
};

/** Opens a session by protocol 3.0. */
export const startupMessage = {
  /** @param parameters user, database and settings */
  encode: (parameters: Readonly<Record<string, string>>): Buffer => {
    const texts = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`);
    return framed(int32(protocol3), Buffer.from(`${texts.join('')}\0`));
  },
};

/** Puts a length before a packet, which has no type. */
export function framed(...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length + 4), body]);
}

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
