import type { Field } from '../../protocols/mysql/answers.ts';
import type { Column, ColumnFormat } from '../rows/results.ts';

/** Ways to turn a cell into JSON. */
export const cell = { text: 0, bytes: 1, datetime: 2, timestamp: 3, bits: 4, float: 5 } as const;
export type Cell = (typeof cell)[keyof typeof cell];

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
  const fixedMeaning = fixed.get(type);
  if (fixedMeaning !== undefined) {
    const isNumber = fixedMeaning.format === 'integer' || fixedMeaning.format === 'numeric';
    return isNumber && (flags & unsigned) !== 0 && type !== 13
      ? { ...fixedMeaning, name: `${fixedMeaning.name} unsigned` }
      : fixedMeaning;
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
