import type { OnFrame } from '../../protocols/frames.ts';
import { longestTimestamp } from '../rows/calendar.ts';
import { longestDecimal, withoutExponent } from '../rows/decimal.ts';
import { writeHex, writeNull, writePlain, writeText } from '../rows/json-text.ts';
import type { ResultWriter } from '../rows/result-writer.ts';
import { rowEncoder } from '../rows/row-encoder.ts';
import { type Cell, cell } from './columns.ts';
import { writeBinaryDate, writeBinaryTimestamp } from './timestamps.ts';

/** Turns messages of the type DataRow into JSON. */
export function dataRowEncoder(cells: readonly Cell[], writer: ResultWriter): OnFrame {
  const extra = 3 + cells.length * 3 + cells.reduce<number>((sum, kind) => sum + spare(kind), 0);
  return rowEncoder(writer, extra, (target, at, bytes, start, end) => writeRow(target, at, bytes, start, end, cells));
}

function spare(kind: Cell): number {
  if (kind === cell.float) return longestDecimal;
  return kind === cell.text || kind === cell.bytea ? 0 : longestTimestamp;
}

function writeRow(
  target: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  cells: readonly Cell[],
): number {
  if (end - start < 2 || bytes.readUInt16BE(start) !== cells.length) throw new Error(broken);
  let to = at;
  let from = start + 2;
  target[to++] = 0x5b;
  for (let index = 0; index < cells.length; index += 1) {
    if (index > 0) target[to++] = 0x2c;
    if (from + 4 > end) throw new Error(broken);
    const length = bytes.readInt32BE(from);
    from += 4;
    if (length < 0) {
      to = writeNull(target, to);
      continue;
    }
    if (from + length > end) throw new Error(broken);
    to = writeCell(target, to, bytes, from, from + length, cells[index] ?? cell.text);
    from += length;
  }
  target[to++] = 0x5d;
  return to;
}

const broken = 'the server sent a row that does not fit its columns';

function writeCell(target: Buffer, at: number, bytes: Buffer, start: number, end: number, kind: Cell): number {
  switch (kind) {
    case cell.text:
      return writeText(target, at, bytes, start, end);
    case cell.timestamptz:
      return writeBinaryTimestamp(target, at, bytes, start, end, true);
    case cell.timestamp:
      return writeBinaryTimestamp(target, at, bytes, start, end, false);
    case cell.date:
      return writeBinaryDate(target, at, bytes, start, end);
    case cell.bytea:
      return writeHex(target, at, bytes, start, end);
    case cell.boolean:
      // Its output function writes t and f; SQL's literals, and CAST to text, are true and false.
      return writePlain(target, at, bytes[start] === 0x74 ? 'true' : 'false');
    case cell.float: {
      const e = bytes.indexOf(0x65, start);
      if (e === -1 || e >= end || end - start > 30) return writeText(target, at, bytes, start, end);
      return writePlain(target, at, withoutExponent(bytes.toString('latin1', start, end)));
    }
  }
}
