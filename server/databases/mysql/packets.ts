import { frameReader, type OnFrame } from '../connections/frames.ts';
import { longestRow, rowTooLong } from '../session.ts';

const headerLength = 4;
/** A body of this length continues in the next packet. */
const fullPacket = 0xff_ffff;

/**
 * Splits a stream of MySQL's protocol into packets, chunk by chunk, without copying those that arrive in one piece.
 *
 * @returns takes the next chunk; throws if a packet is longer than a row may be, and what `onPacket` throws
 */
export function packetReader(onPacket: OnFrame): (chunk: Buffer) => void {
  return frameReader(headerLength, sizeAt, onPacket);
}

/** The length of the packet that begins here, including its header. */
function sizeAt(bytes: Buffer, at: number): number {
  const length = bytes.readUIntLE(at, 3);
  if (length === fullPacket || length > longestRow) throw new Error(rowTooLong);
  return headerLength + length;
}

/**
 * The packet of a command in SQL.
 *
 * @throws Error if it is longer than one packet may be
 */
export function queryPacket(sql: string): Buffer {
  const body = Buffer.concat([Buffer.from([3]), Buffer.from(sql)]);
  if (body.length >= fullPacket) throw new Error('a command is longer than 16 MiB');
  const head = Buffer.alloc(headerLength);
  head.writeUIntLE(body.length, 0, 3);
  return Buffer.concat([head, body]);
}

/** A length-encoded number and the position after it; `undefined` stands for NULL. */
export function readLength(bytes: Buffer, at: number, end: number): { value: number | undefined; at: number } {
  const first = bytes[at] ?? 0;
  if (at >= end) throw new Error(broken);
  if (first < 0xfb) return { value: first, at: at + 1 };
  if (first === 0xfb) return { value: undefined, at: at + 1 };
  const size = first === 0xfc ? 2 : first === 0xfd ? 3 : 8;
  if (first === 0xff || at + 1 + size > end) throw new Error(broken);
  const value = size === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, size);
  return { value, at: at + 1 + size };
}

export const broken = 'the server does not speak the protocol of MySQL';
