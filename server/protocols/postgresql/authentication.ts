/** Messages of a log-in: what the server asks for, and what the client answers (PostgreSQL's manual, "Message Formats"). */

import { server } from './answers.ts';
import { int32, text } from './fields.ts';
import { letter, message } from './framing.ts';

/** A server's message of a log-in: its kind, and what comes after that. */
export const authentication = {
  kind: { ok: 0, cleartext: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 },
  encode: (kind: number, data: Buffer | string = ''): Buffer =>
    message(server.authentication, int32(kind), Buffer.from(data)),
  /** @throws RangeError if it has no kind */
  decode: (body: Buffer): { kind: number; data: Buffer } => ({ kind: body.readInt32BE(0), data: body.subarray(4) }),
};

/** Type of all that a client answers. What it is follows from what the server has asked for. */
export const clientAnswer = letter('p');

/** The password itself, or a hash of it. */
export const passwordMessage = { encode: (password: string): Buffer => message(clientAnswer, text(password)) };

/** A log-in by SASL. */
export const sasl = {
  /** Names of the mechanisms that a server offers. */
  mechanisms: {
    encode: (names: readonly string[]): Buffer =>
      authentication.encode(authentication.kind.sasl, `${names.join('\0')}\0\0`),
    decode: (data: Buffer): string[] => data.toString('latin1').split('\0'),
  },
  /** The mechanism that a client has chosen, and its first message. */
  initialResponse: {
    encode: (mechanism: string, response: string): Buffer =>
      message(clientAnswer, text(mechanism), int32(Buffer.byteLength(response)), Buffer.from(response)),
    decode: (body: Buffer): { mechanism: string; response: string } => {
      const nul = body.indexOf(0);
      return { mechanism: body.toString('utf8', 0, nul), response: body.toString('utf8', nul + 5) };
    },
  },
  response: {
    encode: (response: string): Buffer => message(clientAnswer, Buffer.from(response)),
    decode: (body: Buffer): string => body.toString('utf8'),
  },
};
