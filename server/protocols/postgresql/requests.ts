/** Messages of a client once it has logged in (PostgreSQL's manual, "Message Formats"). */

import { FatalError } from '../fatal-error.ts';
import { int16, int32, readBytes, text } from './fields.ts';
import { letter, message } from './framing.ts';

/** Types of a client's messages. */
export const client = {
  query: letter('Q'),
  parse: letter('P'),
  bind: letter('B'),
  describe: letter('D'),
  execute: letter('E'),
  close: letter('C'),
  sync: letter('S'),
  flush: letter('H'),
  call: letter('F'),
  copyData: letter('d'),
  copyDone: letter('c'),
  copyFail: letter('f'),
  terminate: letter('X'),
};

/**
 * The longest name of a prepared statement or portal, in bytes. Servers look no further, so that the gateway would take two longer
 * names for two statements, and the server for one.
 */
export const longestName = 63;

const [ofStatement, ofPortal] = ['S', 'P'];

/** One statement under the simple protocol, or several. */
export const query = {
  encode: (sql: string): Buffer => message(client.query, text(sql)),
  decode: readBytes,
};

/** Parses one statement under a name; several statements are an error. */
export const parse = {
  encode: (name: string, sql: string): Buffer => message(client.parse, text(name), text(sql), int16(0)),
  decode: (bytes: Buffer, start: number, end: number): { name: string; sql: Buffer } => {
    const name = readName(bytes, start, end);
    return { name, sql: readBytes(bytes, start + name.length + 1, end) };
  },
};

/** Makes a portal of a prepared statement. */
export const bind = {
  /** @param formats of the columns: 0 text, 1 binary @param values of the parameters, as texts */
  encode: (
    portal: string,
    statement: string,
    formats: readonly number[],
    values: readonly (string | null)[] = [],
  ): Buffer => {
    const names = [text(portal), text(statement), int16(0)];
    const parameters = [int16(values.length), ...values.map(parameter)];
    return message(client.bind, ...names, ...parameters, int16(formats.length), ...formats.map(int16));
  },
  /** Reads only the names. */
  decode: (bytes: Buffer, start: number, end: number): { portal: string; statement: string } => {
    const portal = readName(bytes, start, end);
    return { portal, statement: readName(bytes, start + portal.length + 1, end) };
  },
};

/** Asks for the parameters and columns of a prepared statement. */
export const describeStatement = {
  encode: (name: string): Buffer => message(client.describe, Buffer.from(ofStatement), text(name)),
};

/** Runs a portal to its end. */
export const execute = {
  encode: (portal: string): Buffer => message(client.execute, text(portal), int32(0)),
  decode: readName,
};

/** Forgets a prepared statement, or a portal. */
export const close = {
  encode: (kind: 'statement' | 'portal', name: string): Buffer =>
    message(client.close, Buffer.from(kind === 'statement' ? ofStatement : ofPortal), text(name)),
  decode: (bytes: Buffer, start: number, end: number): { kind: 'statement' | 'portal'; name: string } => ({
    kind: bytes[start] === letter(ofStatement) ? 'statement' : 'portal',
    name: readName(bytes, start + 1, end),
  }),
};

/** Calls a function by its number, without SQL. */
export const call = {
  /** Reads only the number. @throws FatalError */
  decode: (bytes: Buffer, start: number, end: number): number => {
    if (end - start < 4) throw new FatalError('08P01', 'the client sent a function call that is too short');
    return bytes.readUInt32BE(start);
  },
};

export const copyFail = { encode: (reason: string): Buffer => message(client.copyFail, text(reason)) };

export const sync = message(client.sync);
export const terminate = message(client.terminate);

/** Its length before it; -1 is NULL. */
function parameter(value: string | null): Buffer {
  const bytes = Buffer.from(value ?? '');
  return Buffer.concat([int32(value === null ? -1 : bytes.length), bytes]);
}

/** The name that was read last: most sessions use few, and to compare its bytes costs less than a new text, which is hashed anew. */
let lastName = '';

/** Reads a name as its bytes, whatever the encoding of the session is. @throws FatalError if it does not end, or is too long */
function readName(bytes: Buffer, start: number, end: number): string {
  if (start < end && bytes[start] === 0) return '';
  if (start + lastName.length < end && isNameAt(lastName, bytes, start)) return lastName;
  const stop = start < end ? bytes.indexOf(0, start) : -1;
  if (stop === -1 || stop >= Math.min(end, start + longestName + 1)) {
    const most = `more than ${longestName} bytes`;
    throw new FatalError('42622', `the name of a prepared statement or portal does not end, or has ${most}`);
  }
  lastName = bytes.toString('latin1', start, stop);
  return lastName;
}

function isNameAt(name: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (bytes[start + at] !== name.charCodeAt(at)) return false;
  return bytes[start + name.length] === 0;
}
