import { csvField, isNumber } from '@rolecall/api/cells';
import type { Column } from '../databases/rows/results.ts';
import type { Row } from './rows.ts';

/**
 * Writes rows as CSV (RFC 4180). NULL is an empty field, and an empty text is two quotes. A text that a spreadsheet would take
 * for a formula gets an apostrophe before it, a number does not.
 */
export async function* writeCsv(columns: readonly Column[], rows: AsyncIterable<Row[]>): AsyncGenerator<string> {
  yield line(columns.map(({ name }) => textField(name)));
  for await (const some of rows) {
    yield some.map((row) => line(columns.map((column, index) => field(row[index] ?? null, column)))).join('');
  }
}

function line(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`;
}

function field(value: string | null, column: Column): string {
  if (value === null) return '';
  return isNumber(value, column) ? value : textField(value);
}

/** NULL is the empty field, so an empty text is two quotes. */
function textField(value: string): string {
  return value === '' ? '""' : csvField(value);
}
