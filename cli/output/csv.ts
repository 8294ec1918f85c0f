import { csvField } from '@rolecall/api/cells';

/** A table as CSV (RFC 4180), with a heading. */
export function toCsv(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** Objects as CSV. @param columns what each column has of an object, by its heading */
export function csvOf<T>(objects: readonly T[], columns: Readonly<Record<string, (object: T) => string>>): string {
  const rows = objects.map((object) => Object.values(columns).map((read) => read(object)));
  return toCsv(Object.keys(columns), rows);
}
