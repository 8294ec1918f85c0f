/** Packets of a server that end an answer, and descriptions of columns (MySQL's manual, "Client/Server Protocol"). */

import { readLength } from './fields.ts';
import { broken, packet } from './framing.ts';

/** Flags of a reply: the state of the session (MySQL's manual, "SERVER_STATUS_flags_enum"). */
export const sessionState = { inTransaction: 1, autocommit: 2, moreResults: 8, cursorExists: 0x40 };

/** The end of a result, or the answer to a command without one. */
export interface Ending {
  affectedRows: number;
  status: number;
}

/** OK packet: 0, rows, last id, status. */
export const okPacket = {
  encode: (sequence: number): Buffer => packet(sequence, Buffer.from([0, 0, 0, sessionState.autocommit, 0, 0, 0])),
  decode: (bytes: Buffer, start: number, end: number): Ending => {
    const rows = readLength(bytes, start + 1, end);
    const id = readLength(bytes, rows.at, end);
    if (id.at + 2 > end) throw new Error(broken);
    return { affectedRows: rows.value ?? 0, status: bytes.readUInt16LE(id.at) };
  },
};

/** EOF packet: 254, warnings, status. */
export const eofPacket = {
  /** A row may begin with 254 too, but is then longer. */
  isAt: (bytes: Buffer, start: number, end: number): boolean => bytes[start] === 0xfe && end - start < 9,
  decode: (bytes: Buffer, start: number, end: number): Ending => {
    if (end - start < 5) throw new Error(broken);
    return { affectedRows: 0, status: bytes.readUInt16LE(start + 3) };
  },
};

/** An error as MySQL has it: a number, and the SQLSTATE that belongs to it. */
export interface ErrorCode {
  readonly number: number;
  readonly sqlState: string;
}

/** ERR packet: 255, number, `#` and SQL state, message. */
export const errorPacket = {
  mark: 0xff,
  /** Before the greeting was answered it has no SQLSTATE. */
  encode: (sequence: number, { number, sqlState }: ErrorCode, message: string): Buffer => {
    const state = sequence === 0 ? '' : `#${sqlState}`;
    return packet(sequence, Buffer.from([errorPacket.mark, number & 0xff, number >> 8]), Buffer.from(state + message));
  },
  /** Reads one that may break off. */
  decode: (bytes: Buffer, start: number, end: number): Partial<ErrorCode> & { sqlState: string; message: string } => {
    const hasState = bytes[start + 3] === 0x23;
    return {
      ...(end - start >= 3 && { number: bytes.readUInt16LE(start + 1) }),
      sqlState: hasState ? bytes.toString('latin1', start + 4, Math.min(start + 9, end)) : '',
      message: bytes.toString('utf8', Math.min(start + (hasState ? 9 : 3), end), end),
    };
  },
};

/** A column as the server describes it. */
export interface Field {
  name: string;
  type: number;
  flags: number;
  /** True if the values are bytes, not text: the character set `binary`. */
  binary: boolean;
  /** The number of bits of a BIT column; for other types, another length. */
  length: number;
  /** MariaDB's name for a type of its own that comes as text, such as uuid. */
  extendedType?: string;
}

const binaryCharset = 63;

/**
 * Reads the description of a column: catalogue, schema, table twice and name twice as texts, MariaDB's addition if agreed on,
 * then 12 bytes of numbers and more.
 */
export function readField(bytes: Buffer, start: number, end: number, extended: boolean): Field {
  let at = start;
  let name = '';
  let extendedType: string | undefined;
  for (let index = 0; index < (extended ? 7 : 6); index += 1) {
    const length = readLength(bytes, at, end);
    const stop = length.at + (length.value ?? 0);
    if (stop > end) throw new Error(broken);
    if (index === 4) name = bytes.toString('utf8', length.at, stop);
    // Pairs of a kind and a text; kind 0 is the name of the type.
    if (index === 6 && bytes[length.at] === 0 && stop > length.at) {
      extendedType = bytes.toString('latin1', length.at + 2, stop).slice(0, bytes[length.at + 1]);
    }
    at = stop;
  }
  if (at + 11 > end) throw new Error(broken);
  return {
    name,
    ...(extendedType === undefined ? {} : { extendedType }),
    binary: bytes.readUInt16LE(at + 1) === binaryCharset,
    length: bytes.readUInt32LE(at + 3),
    type: bytes[at + 7] ?? 0,
    flags: bytes.readUInt16LE(at + 8),
  };
}
