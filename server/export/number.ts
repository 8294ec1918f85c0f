import type { Column } from '../databases/rows/results.ts';

/** As JSON writes numbers. */
const digits = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Whether a cell is a number. A column of numbers may have others: NaN, and any text in SQLite. */
export function isNumber(value: string, { format }: Pick<Column, 'format'>): boolean {
  return (format === 'integer' || format === 'numeric') && digits.test(value);
}
