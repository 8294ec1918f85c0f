import { isNumber } from '@rolecall/api/cells';
import type { Column, Row } from './column.ts';

/** By which column rows are sorted. */
export interface Sorting {
  readonly column: number;
  readonly direction: 'ascending' | 'descending';
}

/**
 * Filters and sorts rows.
 *
 * @param filter a text that a cell must contain, in any case; empty for all rows
 * @returns the indexes of the rows that stay, in their order. NULL comes last; equal rows keep their order.
 */
export function arrange(
  rows: readonly Row[],
  columns: readonly Column[],
  { filter, sorting }: { filter: string; sorting: Sorting | undefined },
): number[] {
  const wanted = filter.toLowerCase();
  const contains = (row: Row) => row.some((cell) => cell?.toLowerCase().includes(wanted) === true);
  const indexes = [...rows.keys()].filter((index) => wanted === '' || contains(rows[index] ?? []));
  const column = columns[sorting?.column ?? -1];
  if (sorting === undefined || column === undefined) return indexes;
  const sign = sorting.direction === 'ascending' ? 1 : -1;
  const cell = (index: number) => rows[index]?.[sorting.column] ?? null;
  return indexes.sort((index, other) => {
    const [left, right] = [cell(index), cell(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null) || index - other;
    return sign * compare(left, right, column) || index - other;
  });
}

const collator = new Intl.Collator('en', { sensitivity: 'variant' });

/** Numbers by their value, also beyond 2^53, before other values; these as texts. */
function compare(text: string, other: string, column: Column): number {
  const [isOne, isOther] = [isNumber(text, column), isNumber(other, column)];
  if (isOne && isOther) return Number(text) - Number(other) || compareDigits(text, other);
  if (isOne !== isOther) return isOne ? -1 : 1;
  // Dates and times of one format are in the order of their texts, but for years before 0.
  return column.format === 'string' ? collator.compare(text, other) : text < other ? -1 : Number(text > other);
}

/** For numbers that are equal as doubles: by their digits, as they have the same number of them before the point. */
function compareDigits(digits: string, other: string): number {
  const [integer = '0', fraction = ''] = digits.split('.');
  const [otherInteger = '0', otherFraction = ''] = other.split('.');
  if (/e/i.test(digits + other)) return 0;
  const difference = BigInt(integer) - BigInt(otherInteger);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  const size = Math.max(fraction.length, otherFraction.length);
  const [left, right] = [fraction.padEnd(size, '0'), otherFraction.padEnd(size, '0')];
  const sign = digits.startsWith('-') ? -1 : 1;
  return left === right ? 0 : left < right ? -sign : sign;
}
