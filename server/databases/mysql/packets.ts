import { frameReader, type OnFrame } from '../connections/frames.ts';
import { longestRow, rowTooLong } from '../session.ts';

const headerLength = 4;
/** A body of this length goes on in the next packet. */
const fullPacket = 0xff_ffff;

/**
 * Takes a stream of MySQL's protocol apart, chunk by chunk, without copying what came in one piece.
 *
 * @returns what takes the next chunk; throws when a packet is longer than a row may be, or what `onPacket` throws
 */
export function packetReader(onPacket: OnFrame): (chunk: Buffer) => void {
  return frameReader(headerLength, sizeAt, onPacket);
}

/** How long the packet that begins here is, with its header. */
function sizeAt(bytes: Buffer, at: number): number {
  const length = bytes.readUIntLE(at, 3);
  if (length === fullPacket || length > longestRow) throw new Error(rowTooLong);
  return headerLength + length;
}

/**
 * The packet of a command in SQL.
 *
 * @throws when it is longer than one packet may be
 */
export function queryPacket(sql: string): Buffer {
  const body = Buffer.concat([Buffer.from([3]), Buffer.from(sql)]);
  if (body.length >= fullPacket) throw new Error('a command is longer than 16 MiB');
  const head = Buffer.alloc(headerLength);
  head.writeUIntLE(body.length, 0, 3);
  return Buffer.concat([head, body]);
}

/** A number of a length that its first byte tells, and where it ended; `undefined` stands for NULL. */
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
