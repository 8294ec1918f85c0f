/** The longest row, as the database sends it. Rows are held in memory whole, which must not take the service down. */
export const longestRow = 16 * 1024 * 1024;

export const rowTooLong = `a row is longer than ${longestRow / 1024 / 1024} MiB: select less of it, as with substring`;

/** Gets the body of a frame; its header is just before `start`. The bytes are valid until the call returns. */
export type OnFrame = (bytes: Buffer, start: number, end: number) => void;

/**
 * Splits a stream into frames, chunk by chunk, without copying frames that arrive in one piece.
 *
 * @param sizeAt the length of the frame whose header begins there, including the header; throws if it is invalid
 * @returns takes the next chunk; throws what `sizeAt` and `onFrame` throw
 */
export function frameReader(
  headerLength: number,
  sizeAt: (bytes: Buffer, at: number) => number,
  onFrame: OnFrame,
): (chunk: Buffer) => void {
  const header = Buffer.alloc(headerLength);
  let partial = header;
  let have = 0;
  /** Continues the frame that the last chunk left incomplete. */
  const complete = (chunk: Buffer): number => {
    let at = 0;
    if (have < headerLength) {
      at = chunk.copy(header, have, 0, headerLength - have);
      have += at;
      if (have < headerLength) return at;
      partial = Buffer.allocUnsafe(sizeAt(header, 0));
      header.copy(partial);
    }
    const copied = chunk.copy(partial, have, at, at + partial.length - have);
    have += copied;
    if (have < partial.length) return chunk.length;
    have = 0;
    onFrame(partial, headerLength, partial.length);
    partial = header;
    return at + copied;
  };
  return (chunk) => {
    let at = have > 0 ? complete(chunk) : 0;
    while (chunk.length - at >= headerLength) {
      const end = at + sizeAt(chunk, at);
      if (end > chunk.length) break;
      onFrame(chunk, at + headerLength, end);
      at = end;
    }
    const left = chunk.length - at;
    if (left === 0) return;
    have = left;
    partial = left < headerLength ? header : Buffer.allocUnsafe(sizeAt(chunk, at));
    chunk.copy(partial, 0, at);
  };
}
