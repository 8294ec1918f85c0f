/** Packets that the gateway sends as a server (MySQL's manual, "Client/Server Protocol"). */

import { readLength } from '../../databases/mysql/packets.ts';
import type { FatalError } from '../fatal-error.ts';
import { capability } from './capabilities.ts';
import { nonceLength, type PluginName } from './proofs.ts';

const headerLength = 4;

/** An error as MySQL has it: a number, and the SQLSTATE that belongs to it. */
interface ErrorCode {
  readonly number: number;
  readonly sqlState: string;
}

/** The errors of the gateway, by the SQLSTATEs that it has for every protocol (MySQL's and MariaDB's lists of server errors). */
const codes: Readonly<Record<string, ErrorCode>> = {
  '57P01': { number: 1927, sqlState: '70100' },
  '28000': { number: 1045, sqlState: '28000' },
  '28P01': { number: 1045, sqlState: '28000' },
  '53300': { number: 1040, sqlState: '08004' },
  '53200': { number: 1038, sqlState: 'HY001' },
  '53400': { number: 1461, sqlState: '42000' },
  '54000': { number: 1153, sqlState: '08S01' },
  '08P01': { number: 1835, sqlState: 'HY000' },
  '3D000': { number: 1046, sqlState: '3D000' },
};
const otherError: ErrorCode = { number: 1105, sqlState: 'HY000' };

/** The error of commands that the gateway refuses. */
export const unknownCommand: ErrorCode = { number: 1047, sqlState: '08S01' };

/** Bits of the state of a session (MySQL's manual, "SERVER_STATUS_flags_enum"). */
const autocommit = 2;

/** The error that ends a session, or refuses one. Before the greeting was answered it has no SQLSTATE. */
export function fatalPacket(sequence: number, { sqlState, message, hint }: FatalError): Buffer {
  const text = hint === undefined ? message : `${message}. ${hint}`;
  return errorPacket(sequence, codes[sqlState] ?? otherError, text);
}

export function errorPacket(sequence: number, { number, sqlState }: ErrorCode, message: string): Buffer {
  const state = sequence === 0 ? '' : `#${sqlState}`;
  return packet(
    sequence,
    Buffer.concat([Buffer.from([0xff, number & 0xff, number >> 8]), Buffer.from(state + message)]),
  );
}

export function okPacket(sequence: number): Buffer {
  return packet(sequence, Buffer.from([0, 0, 0, autocommit, 0, 0, 0]));
}

export const quitPacket = packet(0, Buffer.from([1]));

/** The greeting of a server. */
export interface Greeting {
  readonly version: string;
  readonly connectionId: number;
  /** What the client proves its password with. */
  readonly nonce: Buffer;
  readonly capabilities: number;
  /** How the client is to prove its password. */
  readonly plugin: PluginName;
}

export function greetingPacket({ version, connectionId, nonce, capabilities, plugin }: Greeting): Buffer {
  const fixed = Buffer.alloc(31);
  fixed.writeUInt32LE(connectionId, 0);
  nonce.copy(fixed, 4, 0, 8);
  fixed.writeUInt16LE(capabilities & 0xffff, 13);
  fixed[15] = utf8mb4;
  fixed.writeUInt16LE(autocommit, 16);
  fixed.writeUInt16LE(capabilities >>> 16, 18);
  fixed[20] = nonceLength + 1;
  const parts = ['\u000a', version, '\0', fixed, nonce.subarray(8), '\0', plugin, '\0'];
  return packet(0, Buffer.concat(parts.map((part) => Buffer.from(part))));
}

/** utf8mb4_general_ci, which both products have. */
const utf8mb4 = 45;

/** Asks the client to prove its password in another way than the one that it began with. */
export function authSwitch(sequence: number, nonce: Buffer, plugin: PluginName): Buffer {
  return packet(sequence, Buffer.concat([Buffer.from(`\u{fe}${plugin}\0`, 'latin1'), nonce, Buffer.from([0])]));
}

/** Says that the proof was enough: the client need not send the password itself. */
export function enoughPacket(sequence: number): Buffer {
  return packet(sequence, Buffer.from([1, 3]));
}

function packet(sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(headerLength);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}

/** What the client asks for, in answer to the greeting. */
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

/** Whether the client asks for TLS instead of answering. */
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

/** COM_CHANGE_USER: what the client asks for. */
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

/** Reads fields one after another. Every method throws if there is less than it needs. */
class FieldReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  bytes(length: number): Buffer {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new Error('a field is longer than its packet');
    return this.#bytes.subarray(start, this.#at);
  }

  terminated(): string {
    const stop = this.#bytes.indexOf(0, this.#at);
    if (stop === -1) throw new Error('a field does not end');
    const text = this.#bytes.toString('utf8', this.#at, stop);
    this.#at = stop + 1;
    return text;
  }

  lengthEncoded(): Buffer {
    const { value, at } = readLength(this.#bytes, this.#at, this.#bytes.length);
    this.#at = at;
    return this.bytes(value ?? 0);
  }
}
