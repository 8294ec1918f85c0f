import { frameReader, longestRow, type OnFrame, rowTooLong } from '../frames.ts';

/** Length of a packet before its body: a length, and a sequence number. */
export const headerLength = 4;

/** A body of this length continues in the next packet. */
export const fullPacket = 0xff_ffff;

export const broken = 'the server does not speak the protocol of MySQL';

/** Puts a packet together. @throws Error if the body is longer than one packet may be */
export function packet(sequence: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length >= fullPacket) throw new Error('a command is longer than 16 MiB');
  const head = Buffer.alloc(headerLength, sequence);
  head.writeUIntLE(body.length, 0, 3);
  return Buffer.concat([head, body]);
}

/**
 * Splits a stream of MySQL's protocol into packets, chunk by chunk, without copying those that arrive in one piece.
 *
 * @returns takes the next chunk; throws if a packet is longer than a row may be, and what `onPacket` throws
 */
export function packetReader(onPacket: OnFrame): (chunk: Buffer) => void {
  return frameReader(headerLength, sizeAt, onPacket);
}

/** Gives the length of the packet that begins here, including its header. */
function sizeAt(bytes: Buffer, at: number): number {
  const length = bytes.readUIntLE(at, 3);
  if (length === fullPacket || length > longestRow) throw new Error(rowTooLong);
  return headerLength + length;
}
