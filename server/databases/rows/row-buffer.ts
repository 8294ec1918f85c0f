import { isUtf8 } from 'node:buffer';
import type { RowChunk } from './results.ts';

const chunkBytes = 256 * 1024;
const chunkRows = 16 * 1024;
const comma = 0x2c;

/** Rows' JSON under construction. `end` is where the next byte goes. */
export interface RowBuffer {
  bytes: Buffer;
  end: number;
  lengths: Uint32Array;
  count: number;
  /** Start of the row under construction. */
  start: number;
}

/**
 * A buffer for some rows, and for one row of any length.
 *
 * @param size at least this many bytes
 */
export function createRowBuffer(size: number): RowBuffer {
  const bytes = Buffer.allocUnsafeSlow(Math.max(size, chunkBytes));
  return { bytes, end: 0, lengths: new Uint32Array(chunkRows), count: 0, start: 0 };
}

/** True if a buffer can be used again. One that was made for a huge row is not kept. */
export function isReusable({ bytes }: RowBuffer): boolean {
  return bytes.length === chunkBytes;
}

/** True if another row of at most this many bytes fits. */
export function fits({ bytes, end, count }: RowBuffer, size: number): boolean {
  return count < chunkRows && bytes.length - end > size;
}

export function beginRow(buffer: RowBuffer): void {
  if (buffer.count > 0) {
    buffer.bytes[buffer.end] = comma;
    buffer.end += 1;
  }
  buffer.start = buffer.end;
}

export function endRow(buffer: RowBuffer, end: number): void {
  buffer.lengths[buffer.count] = end - buffer.start;
  buffer.count += 1;
  buffer.end = end;
}

export function clearRows(buffer: RowBuffer): void {
  buffer.end = 0;
  buffer.count = 0;
}

/**
 * The content of a buffer, as valid UTF-8. A database may send other bytes (PostgreSQL with the encoding SQL_ASCII); each
 * invalid sequence becomes U+FFFD, since the JSON would otherwise be unreadable.
 */
export function chunkOf({ bytes, end, lengths, count }: RowBuffer): RowChunk {
  const rows = bytes.subarray(0, end);
  const chunk = { bytes: rows, lengths: lengths.subarray(0, count), count };
  return isUtf8(rows) ? chunk : repaired(chunk);
}

/** Row by row: an invalid sequence never swallows the quote or bracket after it, so each row stays intact. */
function repaired({ bytes, lengths, count }: RowChunk): RowChunk {
  const rows: Buffer[] = [];
  let start = 0;
  for (const length of lengths) {
    if (rows.length > 0) rows.push(Buffer.from(','));
    rows.push(Buffer.from(bytes.toString('utf8', start, start + length)));
    start += length + 1;
  }
  const whole = rows.filter((_, index) => index % 2 === 0);
  return { bytes: Buffer.concat(rows), lengths: Uint32Array.from(whole, ({ length }) => length), count };
}
