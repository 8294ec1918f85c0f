/** Messages of a server once its client has logged in, and before that its errors (PostgreSQL's manual, "Message Formats"). */

import type { FatalError } from '../fatal-error.ts';
import { int32, readText, text } from './fields.ts';
import { letter, message } from './framing.ts';
import type { CancelKey } from './startup.ts';

/** Types of a server's messages. */
export const server = {
  authentication: letter('R'),
  negotiateVersion: letter('v'),
  parameter: letter('S'),
  key: letter('K'),
  ready: letter('Z'),
  error: letter('E'),
  notice: letter('N'),
  notification: letter('A'),
  row: letter('D'),
  complete: letter('C'),
  empty: letter('I'),
  suspended: letter('s'),
  parsed: letter('1'),
  bound: letter('2'),
  closed: letter('3'),
  parameters: letter('t'),
  columns: letter('T'),
  noColumns: letter('n'),
  copyData: letter('d'),
  copyIn: letter('G'),
  copyOut: letter('H'),
  copyBoth: letter('W'),
};

/** Fields of an error, each a letter and a text (PostgreSQL's manual, "Error and Notice Message Fields"). */
export type ErrorFields = ReadonlyMap<string, string>;

/** An error. */
export const errorResponse = {
  /** Writes one that ends the session. */
  encode: ({ sqlState, message: reason, hint }: Pick<FatalError, 'sqlState' | 'message' | 'hint'>): Buffer =>
    message(server.error, fields('FATAL', sqlState, reason, hint)),
  /** Reads the fields that are whole: of a long error, the end may be missing. */
  decode: (bytes: Buffer, start: number, end: number): ErrorFields => {
    const read = new Map<string, string>();
    for (let at = start; at < end && bytes[at] !== 0; ) {
      const stop = bytes.indexOf(0, at + 1);
      if (stop === -1 || stop >= end) break;
      read.set(String.fromCharCode(bytes[at] ?? 0), bytes.toString('utf8', at + 1, stop));
      at = stop + 1;
    }
    return read;
  },
};

export const noticeResponse = {
  encode: (reason: string): Buffer => message(server.notice, fields('NOTICE', '00000', reason, undefined)),
};

/** A setting that the server reports. */
export const parameterStatus = {
  encode: (name: string, value: string): Buffer => message(server.parameter, text(name), text(value)),
  decode: (bytes: Buffer, start: number, end: number): { name: string; value: string } => {
    const name = readText(bytes, start, end);
    return { name, value: readText(bytes, start + Buffer.byteLength(name) + 1, end) };
  },
};

/** The key by which a client cancels. */
export const backendKeyData = {
  encode: ({ processId, secret }: CancelKey): Buffer => message(server.key, int32(processId), secret),
  decode: (body: Buffer): CancelKey => ({ processId: body.readInt32BE(0), secret: Buffer.from(body.subarray(4)) }),
};

/** The server waits for statements. */
export const readyForQuery = {
  /** @param status I: idle; T: in a transaction; E: in a failed transaction */
  encode: (status: string): Buffer => message(server.ready, Buffer.from(status)),
  decode: (bytes: Buffer, start: number): string => String.fromCharCode(bytes[start] ?? 0),
};

/** Says which minor version is spoken, and which options of the protocol are not known. */
export const negotiateProtocolVersion = {
  encode: (version: number, unknown: readonly string[]): Buffer =>
    message(server.negotiateVersion, int32(version), int32(unknown.length), ...unknown.map(text)),
};

/** A column as the server describes it. */
export interface Field {
  name: string;
  /** Object id of the type; a domain's base type. */
  oid: number;
  /** Type modifier: length, precision and the like; -1 for none. */
  modifier: number;
}

export const rowDescription = {
  decode: (bytes: Buffer, start: number, end: number): Field[] => {
    const columns: Field[] = [];
    let at = start + 2;
    for (let left = bytes.readUInt16BE(start); left > 0; left -= 1) {
      const name = readText(bytes, at, end);
      // After the name and its NUL: table (4 bytes), column (2), type (4), size (2), modifier (4), format (2).
      at = bytes.indexOf(0, at) + 1;
      if (at === 0 || at + 18 > end) throw new Error('the server described columns that break off');
      columns.push({ name, oid: bytes.readUInt32BE(at + 6), modifier: bytes.readInt32BE(at + 12) });
      at += 18;
    }
    return columns;
  },
};

export const dataRow = {
  /** Reads cells that are texts. Large results have an encoder of their own. */
  decode: (bytes: Buffer, start: number, end: number): string[] => {
    const texts: string[] = [];
    for (let at = start + 2; at + 4 <= end; ) {
      const length = Math.max(0, bytes.readInt32BE(at));
      texts.push(bytes.toString('utf8', at + 4, Math.min(at + 4 + length, end)));
      at += 4 + length;
    }
    return texts;
  },
};

/** Tells which command has completed, as in "INSERT 0 5". */
export const commandComplete = {
  encode: (tag: string): Buffer => message(server.complete, text(tag)),
  decode: readText,
};

function fields(severity: string, sqlState: string, reason: string, hint: string | undefined): Buffer {
  const all = { S: severity, V: severity, C: sqlState, M: reason, ...(hint === undefined ? {} : { H: hint }) };
  const parts = Object.entries(all).map(([name, value]) => `${name}${value.replaceAll('\0', ' ')}\0`);
  return Buffer.from(`${parts.join('')}\0`);
}
