import type { OnFrame } from '../../protocols/frames.ts';
import { longestText, measureText } from './json-text.ts';
import type { ResultWriter } from './result-writer.ts';
import { beginRow } from './row-buffer.ts';

/** Writes a server's row as JSON into a target with room for it. Returns the position after it. */
export type WriteRow = (target: Buffer, at: number, bytes: Buffer, start: number, end: number) => number;

/** Rows up to this size get room for the worst case of escapes; longer ones are measured. */
const measured = 32 * 1024;

/**
 * Turns a server's rows into JSON, byte by byte.
 *
 * @param extra the most bytes that a row may need beyond its escaped texts
 */
export function rowEncoder(writer: ResultWriter, extra: number, write: WriteRow): OnFrame {
  return (bytes, start, end) => {
    if (writer.discarding) return;
    const length = end - start;
    const size = length <= measured ? longestText(length) : measureText(bytes, start, end) + length;
    const buffer = writer.bufferFor(size + extra);
    beginRow(buffer);
    writer.rowDone(buffer, write(buffer.bytes, buffer.end, bytes, start, end));
  };
}
