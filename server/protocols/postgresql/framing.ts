import type { Duplex } from 'node:stream';
import { frameReader, longestRow, rowTooLong } from '../frames.ts';
import { readExactly } from '../read-exactly.ts';

/** Gets a message: its type, and the position of its body. The bytes are valid until the call returns. */
export type OnMessage = (type: number, bytes: Buffer, start: number, end: number) => void;

/** Length of a message before its body: its type, and a length that counts itself, but not the type. */
export const headerLength = 5;

export const notPostgresql = 'the server does not speak the protocol of PostgreSQL';

/** Type of a message, as PostgreSQL's manual writes it. */
export const letter = (text: string): number => text.charCodeAt(0);

const dataRow = letter('D');

/** Puts a message together. */
export function message(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(headerLength, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Splits what a server sends into messages, chunk by chunk, without copying those that arrive in one piece.
 *
 * @returns takes the next chunk; throws if the stream is not PostgreSQL's protocol or a row is too long, and what `onMessage`
 *   throws
 */
export function messageReader(onMessage: OnMessage): (chunk: Buffer) => void {
  return frameReader(headerLength, sizeAt, (bytes, start, end) => {
    onMessage(bytes[start - headerLength] ?? 0, bytes, start, end);
  });
}

/** Gives the length of the message that begins here, including its type. */
function sizeAt(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < 4) throw new Error(notPostgresql);
  if (length > longestRow) throw new Error(bytes[at] === dataRow ? rowTooLong : notPostgresql);
  return length + 1;
}

/**
 * Reads one message of a log-in.
 *
 * @param check gets the type, and the length of the body, which may be negative; throws if this message is not to be read
 * @throws what `check` and `readExactly` throw
 */
export async function readMessage(
  stream: Duplex,
  signal: AbortSignal,
  check: (type: number, length: number) => void,
): Promise<{ type: number; body: Buffer }> {
  const head = await readExactly(stream, headerLength, signal);
  const [type, length] = [head[0] ?? 0, head.readUInt32BE(1) - 4];
  check(type, length);
  return { type, body: length === 0 ? Buffer.alloc(0) : await readExactly(stream, length, signal) };
}
