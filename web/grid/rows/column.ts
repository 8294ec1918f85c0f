import type { QueryResult } from '@rolecall/api';

/** A column of a result. */
export type Column = Extract<QueryResult, { type: 'query' }>['detail']['columns'][number];

/** The cells of a row; null is NULL. */
export type Row = readonly (string | null)[];

/** As JSON writes numbers. */
const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Whether a cell is a number. A column of numbers may have others: NaN, and any text in SQLite. */
export function isNumber(value: string, { format }: Pick<Column, 'format'>): boolean {
  return (format === 'integer' || format === 'numeric') && number.test(value);
}
