import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../fatal-error.ts';
import { statementText } from '../statement-text.ts';
import { Request } from './request-queue.ts';

/** The longest statement, in bytes: it is held in memory until it has arrived. */
const longestStatement = 64 * 1024 * 1024;
/**
 * The longest name, in bytes. Servers look no further, so that the gateway would take two longer names for two statements, and
 * the server for one.
 */
const longestName = 63;
/** How much of a message has the names that it begins with: a letter, and two names with their ends. */
const namesLength = 1 + 2 * (longestName + 1);

export const letter = (text: string): number => text.charCodeAt(0);

/** The types of a client's messages. */
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

const withNames = new Set([client.bind, client.describe, client.execute, client.close]);
const withoutBody = new Set([
  client.sync,
  client.flush,
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.terminate,
]);

/** How many bytes of a message are read, behind its length. @throws FatalError */
export function wantedOfClient(type: number, length: number): number {
  if (type === client.query || type === client.parse) {
    if (length <= longestStatement) return length;
    throw new FatalError('54000', `a statement is longer than ${longestStatement / 1024 / 1024} MiB: send it in parts`);
  }
  if (withNames.has(type)) return namesLength;
  if (type === client.call) return 4;
  // The server answers them with an error then, and ignores what comes next.
  if (length > 0 && (type === client.sync || type === client.flush)) {
    throw new FatalError('08P01', 'the client sent a Sync or Flush with a body, which none has');
  }
  if (withoutBody.has(type)) return 0;
  throw new FatalError('08P01', `the client sent a message of the unknown type ${type}`);
}

/**
 * Reads what a message asks for.
 *
 * @param digest how the audit trail shows a text
 * @returns undefined for a message that has no answer of its own, or one that depends on what came before
 * @throws FatalError
 */
export function readRequest(
  type: number,
  bytes: Buffer,
  start: number,
  end: number,
  digest: (text: string) => TextDigest,
): Request | undefined {
  switch (type) {
    case client.query: {
      const text = textAt(bytes, start, end);
      return new Request('query', '', '', digest(text), text);
    }
    case client.call:
      if (end - start < 4) throw new FatalError('08P01', 'the client sent a function call that is too short');
      return new Request('call', '', '', digest(`function call ${bytes.readUInt32BE(start)}`));
    case client.parse: {
      const name = nameAt(bytes, start, end);
      return new Request('parsed', name, '', digest(textAt(bytes, start + name.length + 1, end)));
    }
    case client.bind: {
      const portal = nameAt(bytes, start, end);
      return new Request('bound', portal, nameAt(bytes, start + portal.length + 1, end));
    }
    case client.execute:
      return new Request('execute', nameAt(bytes, start, end));
    case client.describe:
      return new Request('described');
    case client.close:
      return new Request(
        bytes[start] === letter('S') ? 'statement closed' : 'portal closed',
        nameAt(bytes, start + 1, end),
      );
    default:
      return undefined;
  }
}

/** The text from here to its NUL, or to the end. */
export function textAt(bytes: Buffer, start: number, end: number): string {
  const stop = bytes.indexOf(0, start);
  return statementText(bytes.subarray(start, stop === -1 ? end : Math.min(stop, end)));
}

/** The name that was read last: most sessions use few, and to compare its bytes costs less than a new text, which is hashed anew. */
let lastName = '';

/** A name as its bytes, whatever the encoding of the session is. @throws FatalError if it does not end, or is too long */
function nameAt(bytes: Buffer, start: number, end: number): string {
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
