import type { OnFrame } from '../../protocols/frames.ts';
import type { Field } from '../../protocols/mysql/answers.ts';
import { broken } from '../../protocols/mysql/framing.ts';
import { longestDecimal, withoutExponent } from '../rows/decimal.ts';
import { writeHex, writeNull, writePlain, writeText } from '../rows/json-text.ts';
import type { ResultWriter } from '../rows/result-writer.ts';
import { rowEncoder } from '../rows/row-encoder.ts';
import { type Cell, cell, meaningOf } from './columns.ts';

/** The bytes a cell may need beyond its escaped text: quotes and comma, milliseconds, bits as digits. */
const spare = 80;

/** Turns rows of texts into JSON. */
export function textRowEncoder(fields: readonly Field[], writer: ResultWriter): OnFrame {
  const cells = fields.map((field) => meaningOf(field).cell);
  const widths = fields.map(({ length }) => Math.min(length, 64));
  const floats = cells.filter((kind) => kind === cell.float).length;
  const extra = 3 + cells.length * spare + floats * longestDecimal;
  return rowEncoder(writer, extra, (target, at, bytes, start, end) =>
    writeRow(target, at, bytes, start, end, cells, widths),
  );
}

function writeRow(
  target: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  cells: readonly Cell[],
  widths: readonly number[],
): number {
  let to = at;
  let from = start;
  target[to++] = 0x5b;
  for (let index = 0; index < cells.length; index += 1) {
    if (index > 0) target[to++] = 0x2c;
    if (from >= end) throw new Error(broken);
    let length = bytes[from++] ?? 0;
    if (length === 0xfb) {
      to = writeNull(target, to);
      continue;
    }
    // A longer length takes 2, 3 or 8 bytes; no row is so long that it takes 8.
    if (length > 0xfb) {
      const size = length - 0xfa;
      if (length > 0xfd || from + size > end) throw new Error(broken);
      length = bytes.readUIntLE(from, size);
      from += size;
    }
    if (from + length > end) throw new Error(broken);
    to = writeCell(target, to, bytes, from, from + length, cells[index] ?? cell.text, widths[index] ?? 0);
    from += length;
  }
  target[to++] = 0x5d;
  return to;
}

function writeCell(
  target: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  kind: Cell,
  width: number,
): number {
  switch (kind) {
    case cell.text:
      return writeText(target, at, bytes, start, end);
    case cell.bytes:
      return writeHex(target, at, bytes, start, end);
    case cell.datetime:
      return writeDateTime(target, at, bytes, start, end, false);
    case cell.timestamp:
      return writeDateTime(target, at, bytes, start, end, true);
    case cell.bits:
      return writePlain(target, at, bitsOf(bytes, start, end).padStart(width, '0').slice(-width));
    case cell.float:
      if (end - start > 30) return writeText(target, at, bytes, start, end);
      return writePlain(target, at, safe(withoutExponent(bytes.toString('latin1', start, end))));
  }
}

/** Ensures that a server puts only a number between our quotes. */
function safe(text: string): string {
  if (!/^[-+.\w]*$/.test(text)) throw new Error(broken);
  return text;
}

function bitsOf(bytes: Buffer, start: number, end: number): string {
  return [...bytes.subarray(start, Math.min(end, start + 8))].map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

/**
 * `YYYY-MM-DD HH:MM:SS` with a fraction of up to six digits. Three digits are kept; the rest is cut off, never rounded. An
 * impossible date (0000-00-00) passes as it is.
 */
function writeDateTime(
  target: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  instant: boolean,
): number {
  if (end - start < 19) return writeText(target, at, bytes, start, end);
  const seconds = bytes.toString('latin1', start, start + 19).replace(' ', 'T');
  const fraction = bytes.toString('latin1', start + 20, Math.min(end, start + 23)).padEnd(3, '0');
  if (!/^[-\dT:]+$/.test(seconds) || !/^\d{3}$/.test(fraction)) throw new Error(broken);
  return writePlain(target, at, `${seconds}.${fraction}${instant ? 'Z' : ''}`);
}
