/** How cells become JSON, for the service's downloads and the page's clipboard. It imports no schema, which the page has no use for. */

import type { columnFormats } from '../resources/query.ts';

/** As JSON writes numbers. */
const digits = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Whether a cell is a number. A column of numbers may have others: NaN, and any text in SQLite. */
export function isNumber(value: string, { format }: { readonly format: (typeof columnFormats)[number] }): boolean {
  return (format === 'integer' || format === 'numeric') && digits.test(value);
}

/** A key for each column. Of keys that are the same a reader of JSON would get only the last: the second becomes `name_2`. */
export function jsonKeys(columns: readonly { readonly name: string }[]): string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return JSON.stringify(unique);
  });
}
