import { csvField } from '@rolecall/api/cells';

/** A table as CSV (RFC 4180), with a heading. */
export function toCsv(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}
