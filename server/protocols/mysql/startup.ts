/** Packets of a log-in (MySQL's manual, "Connection Phase Packets"). */

import { sessionState } from './answers.ts';
import { capability } from './capabilities.ts';
import { FieldReader } from './fields.ts';
import { packet } from './framing.ts';
import { nonceLength } from './proofs.ts';

/** utf8mb4_general_ci, which both products have. */
const utf8mb4 = 45;

/** The greeting of a server. */
interface Greeting {
  readonly version: string;
  readonly connectionId: number;
  /** Random bytes, by which the client hides its password. */
  readonly nonce: Buffer;
  readonly capabilities: number;
  /** The plugin by which the client is to prove its password. */
  readonly plugin: string;
}

export const greeting = {
  encode: ({ version, connectionId, nonce, capabilities, plugin }: Greeting): Buffer => {
    const fixed = Buffer.alloc(31);
    fixed.writeUInt32LE(connectionId, 0);
    nonce.copy(fixed, 4, 0, 8);
    fixed.writeUInt16LE(capabilities & 0xffff, 13);
    fixed[15] = utf8mb4;
    fixed.writeUInt16LE(sessionState.autocommit, 16);
    fixed.writeUInt16LE(capabilities >>> 16, 18);
    fixed[20] = nonceLength + 1;
    const parts = ['\u000a', version, '\0', fixed, nonce.subarray(8), '\0', plugin, '\0'];
    return packet(0, ...parts.map((part) => Buffer.from(part)));
  },
};

/** Asks the client to prove its password in another way than the one that it began with. */
export const authSwitch = {
  encode: (sequence: number, nonce: Buffer, plugin: string): Buffer =>
    packet(sequence, Buffer.from(`\u{fe}${plugin}\0`, 'latin1'), nonce, Buffer.from([0])),
};

/** Says that the proof was enough: the client need not send the password itself. */
export const enough = { encode: (sequence: number): Buffer => packet(sequence, Buffer.from([1, 3])) };

/** A client's answer to the greeting. */
export interface HandshakeResponse {
  /** Those that the gateway offers too. */
  readonly capabilities: number;
  /** The number of a collation, which says in which character set the client writes. */
  readonly charset: number;
  readonly username: string;
  readonly proof: Buffer;
  /** Empty if the client names none. */
  readonly database: string;
  readonly plugin: string;
  /** The client's connection attributes, such as its name and version. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Capabilities, longest packet, collation, and 23 bytes without a meaning. */
const tlsRequestLength = 32;

/** True if the client asks for TLS instead of answering. */
export function isTlsRequest(body: Buffer): boolean {
  return body.length === tlsRequestLength && (body.readUInt32LE(0) & capability.tls) !== 0;
}

/**
 * Reads the answer to the greeting.
 *
 * @param offered capabilities of the greeting; others do not count
 * @throws RangeError or Error if it is malformed
 */
export function readHandshakeResponse(body: Buffer, offered: number): HandshakeResponse {
  const capabilities = body.readUInt32LE(0) & offered;
  const has = (flag: number): boolean => (capabilities & flag) !== 0;
  const fields = new FieldReader(body, tlsRequestLength);
  const username = fields.terminated();
  const proof = has(capability.pluginAuthLength) ? fields.lengthEncoded() : fields.bytes(fields.byte());
  const database = has(capability.connectWithDatabase) ? fields.terminated() : '';
  const asked = has(capability.pluginAuth) ? fields.terminated() : '';
  const attributes: Record<string, string> = {};
  if (has(capability.connectAttributes) && !fields.isAtEnd) {
    const inner = new FieldReader(fields.lengthEncoded(), 0);
    while (!inner.isAtEnd) {
      const name = inner.lengthEncoded().toString();
      attributes[name] = inner.lengthEncoded().toString();
    }
  }
  return { capabilities, charset: body[8] ?? 0, username, proof, database, plugin: asked, attributes };
}

/** COM_CHANGE_USER, which a client sends to log in anew. */
interface UserChangeRequest extends Pick<HandshakeResponse, 'username' | 'database' | 'plugin'> {
  readonly charset: number | undefined;
}

/** @param body behind the number of the command @throws RangeError or Error if it is malformed */
export function readUserChange(body: Buffer): UserChangeRequest {
  const fields = new FieldReader(body, 0);
  const username = fields.terminated();
  // The proof: another one is asked for.
  fields.bytes(fields.byte());
  const database = fields.terminated();
  const charset = fields.isAtEnd ? undefined : fields.bytes(2).readUInt16LE();
  return { username, database, charset, plugin: fields.isAtEnd ? '' : fields.terminated() };
}
