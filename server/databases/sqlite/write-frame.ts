import { writeSync } from 'node:fs';
import { chunkOf, clearRows, type RowBuffer } from '../rows/row-buffer.ts';
import { type FrameBody, frame, frameHeader } from './run-protocol.ts';

const output = 1;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes a frame, and waits until the parent has room for it: that is what keeps a slow reader from filling memory. */
export function writeFrame<Kind extends keyof FrameBody>(kind: Kind, body: FrameBody[Kind]): void {
  writeAll(framed(frame[kind], [Buffer.from(JSON.stringify(body))]));
}

/** Writes rows as a frame and empties their buffer. */
export function writeRows(rows: RowBuffer): void {
  if (rows.count === 0) return;
  const { bytes, lengths, count } = chunkOf(rows);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(count);
  writeAll(framed(frame.rows, [head, Buffer.from(lengths.buffer, lengths.byteOffset, lengths.byteLength), bytes]));
  clearRows(rows);
}

function framed(kind: number, parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(frameHeader, kind);
  header.writeUInt32BE(body.length, 1);
  return Buffer.concat([header, body]);
}

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(output, bytes, at);
    } catch (error) {
      // Where the pipe does not block, its being full is an error.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
