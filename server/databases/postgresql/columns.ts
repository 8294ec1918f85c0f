import type { Field } from '../../protocols/postgresql/answers.ts';
import type { ColumnFormat } from '../rows/results.ts';

/** Ways to request a cell, and to turn it into JSON. */
export const cell = { text: 0, boolean: 1, float: 2, date: 3, timestamp: 4, timestamptz: 5, bytea: 6 } as const;
export type Cell = (typeof cell)[keyof typeof cell];

const string: [ColumnFormat, Cell] = ['string', cell.text];

/**
 * Object ids of the types whose values are not just text (PostgreSQL's src/include/catalog/pg_type.dat). All others, including
 * arrays, ranges and composite types, are texts as PostgreSQL writes them.
 */
const types: ReadonlyMap<number, [ColumnFormat, Cell]> = new Map([
  [16, ['string', cell.boolean]], // bool
  [17, ['bytea', cell.bytea]],
  [20, ['integer', cell.text]], // int8
  [21, ['integer', cell.text]], // int2
  [23, ['integer', cell.text]], // int4
  [26, ['integer', cell.text]], // oid
  [700, ['numeric', cell.float]], // float4
  [701, ['numeric', cell.float]], // float8
  [1082, ['date', cell.date]],
  [1114, ['timestamp', cell.timestamp]],
  [1184, ['timestamptz', cell.timestamptz]],
  [1700, ['numeric', cell.text]], // numeric
]);

export function formatOf({ oid }: Field): ColumnFormat {
  return (types.get(oid) ?? string)[0];
}

export function cellOf({ oid }: Field): Cell {
  return (types.get(oid) ?? string)[1];
}

/**
 * Dates, times and bytes come in binary: a command may change their text form (`SET datestyle`, a function that sets
 * `timezone`), but not their binary form.
 */
export function isBinary(kind: Cell): boolean {
  return kind >= cell.date;
}
