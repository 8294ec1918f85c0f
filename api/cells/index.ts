/**
 * Rendering of results that several front ends share: cells as JSON and CSV, and the place of an error in its
 * statement. It imports no schema, which the page has no use for.
 */

import type { columnFormats } from '../resources/query.ts';

export { findErrorPosition } from './error-position.ts';

/** As JSON writes numbers. */
const digits = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** True if a cell is a number. A column of numbers may have others: NaN, and any text in SQLite. */
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

/** A spreadsheet takes a text that begins so for a formula, which may send what is in other cells elsewhere (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text as a field of CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvField(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
