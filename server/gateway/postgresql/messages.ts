import type { FatalError } from '../fatal-error.ts';

/** Messages that the gateway sends as a server (PostgreSQL's manual, "Message Formats"). */

export function errorResponse({ sqlState, message, hint }: FatalError): Buffer {
  return frame('E', fields('FATAL', sqlState, message, hint));
}

export function noticeResponse(message: string): Buffer {
  return frame('N', fields('NOTICE', '00000', message, undefined));
}

export function saslMechanisms(names: readonly string[]): Buffer {
  return authentication(10, Buffer.from(`${names.join('\0')}\0\0`));
}

export function saslContinue(text: string): Buffer {
  return authentication(11, Buffer.from(text));
}

/** The last message of SCRAM, and the end of the log-in. */
export function authenticated(saslFinal: string): Buffer {
  return Buffer.concat([authentication(12, Buffer.from(saslFinal)), authentication(0)]);
}

export function parameterStatus(name: string, value: string): Buffer {
  return frame('S', Buffer.from(`${name}\0${value}\0`));
}

export function backendKeyData(processId: number, secret: Buffer): Buffer {
  const id = Buffer.alloc(4);
  id.writeInt32BE(processId);
  return frame('K', Buffer.concat([id, secret]));
}

export const readyForQuery = frame('Z', Buffer.from('I'));

/** Says which minor version is spoken, and which options of the protocol are not known. */
export function negotiateProtocolVersion(version: number, unknown: readonly string[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(version);
  head.writeInt32BE(unknown.length, 4);
  return frame('v', Buffer.concat([head, ...unknown.map((name) => Buffer.from(`${name}\0`))]));
}

function authentication(code: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(code);
  return frame('R', Buffer.concat([head, body]));
}

function fields(severity: string, sqlState: string, text: string, hint: string | undefined): Buffer {
  const all = { S: severity, V: severity, C: sqlState, M: text, ...(hint === undefined ? {} : { H: hint }) };
  const parts = Object.entries(all).map(([letter, value]) => `${letter}${value.replaceAll('\0', ' ')}\0`);
  return Buffer.from(`${parts.join('')}\0`);
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
