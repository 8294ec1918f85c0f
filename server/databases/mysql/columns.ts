import type { Column, ColumnFormat } from '../rows/results.ts';
import { broken, readLength } from './packets.ts';

/** How a cell is turned into JSON. */
export const cell = { text: 0, bytes: 1, datetime: 2, timestamp: 3, bits: 4, float: 5 } as const;
export type Cell = (typeof cell)[keyof typeof cell];

/** A column as the server describes it. */
export interface Field {
  name: string;
  type: number;
  flags: number;
  /** Whether the values are bytes, not text: the character set `binary`. */
  binary: boolean;
  /** The number of bits of a BIT column; for other types, another length. */
  length: number;
  /** MariaDB's name for a type of its own that comes as text, such as uuid. */
  extendedType?: string;
}

const unsigned = 32;
const enumeration = 256;
const set = 2048;

interface Meaning {
  name: string;
  format: ColumnFormat;
  cell: Cell;
}

const meaning = (name: string, format: ColumnFormat, kind: Cell = cell.text): Meaning => ({ name, format, cell: kind });

/** Numbers of the types that are always the same kind of value (MySQL's include/field_types.h). */
const fixed: ReadonlyMap<number, Meaning> = new Map([
  [0, meaning('decimal', 'numeric')],
  [1, meaning('tinyint', 'integer')],
  [2, meaning('smallint', 'integer')],
  [3, meaning('int', 'integer')],
  [4, meaning('float', 'numeric', cell.float)],
  [5, meaning('double', 'numeric', cell.float)],
  [6, meaning('null', 'string')],
  [7, meaning('timestamp', 'timestamptz', cell.timestamp)],
  [8, meaning('bigint', 'integer')],
  [9, meaning('mediumint', 'integer')],
  [10, meaning('date', 'date')],
  [11, meaning('time', 'string')],
  [12, meaning('datetime', 'timestamp', cell.datetime)],
  [13, meaning('year', 'integer')],
  [14, meaning('date', 'date')],
  [16, meaning('bit', 'string', cell.bits)],
  [245, meaning('json', 'string')],
  [246, meaning('decimal', 'numeric')],
  [247, meaning('enum', 'string')],
  [248, meaning('set', 'string')],
  [255, meaning('geometry', 'bytea', cell.bytes)],
]);

/** Names of the types that hold text or bytes. */
const texts: ReadonlyMap<number, [text: string, bytes: string]> = new Map([
  [15, ['varchar', 'varbinary']],
  [249, ['tinytext', 'tinyblob']],
  [250, ['mediumtext', 'mediumblob']],
  [251, ['longtext', 'longblob']],
  [252, ['text', 'blob']],
  [253, ['varchar', 'varbinary']],
  [254, ['char', 'binary']],
]);

export function meaningOf({ type, flags, binary, extendedType }: Field): Meaning {
  const known = fixed.get(type);
  if (known !== undefined) {
    const isNumber = known.format === 'integer' || known.format === 'numeric';
    return isNumber && (flags & unsigned) !== 0 && type !== 13 ? { ...known, name: `${known.name} unsigned` } : known;
  }
  if ((flags & enumeration) !== 0) return meaning('enum', 'string');
  if ((flags & set) !== 0) return meaning('set', 'string');
  const [text, bytes] = texts.get(type) ?? ['unknown', 'unknown'];
  return binary ? meaning(extendedType ?? bytes, 'bytea', cell.bytes) : meaning(extendedType ?? text, 'string');
}

export function columnOf(field: Field, index: number): Column {
  const { name, format } = meaningOf(field);
  return { ordinalPosition: index, name: field.name, type: name, format };
}

const binaryCharset = 63;

/**
 * Reads the description of a column: catalogue, schema, table twice and name twice as texts, MariaDB's addition if agreed on,
 * then 12 bytes of numbers and more.
 */
export function readField(bytes: Buffer, start: number, end: number, extended: boolean): Field {
  let at = start;
  let name = '';
  let extendedType: string | undefined;
  for (let index = 0; index < (extended ? 7 : 6); index += 1) {
    const length = readLength(bytes, at, end);
    const stop = length.at + (length.value ?? 0);
    if (stop > end) throw new Error(broken);
    if (index === 4) name = bytes.toString('utf8', length.at, stop);
    // Pairs of a kind and a text; kind 0 is the name of the type.
    if (index === 6 && bytes[length.at] === 0 && stop > length.at) {
      extendedType = bytes.toString('latin1', length.at + 2, stop).slice(0, bytes[length.at + 1]);
    }
    at = stop;
  }
  if (at + 11 > end) throw new Error(broken);
  return {
    name,
    ...(extendedType === undefined ? {} : { extendedType }),
    binary: bytes.readUInt16LE(at + 1) === binaryCharset,
    length: bytes.readUInt32LE(at + 3),
    type: bytes[at + 7] ?? 0,
    flags: bytes.readUInt16LE(at + 8),
  };
}
