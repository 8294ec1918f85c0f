import { isNumber, jsonKeys } from '@rolecall/api/cells';
import type { Column } from '../databases/rows/results.ts';
import type { Row } from './rows.ts';

/** Writes rows as a JSON list of objects. Numbers have all their digits. */
export async function* writeJson(columns: readonly Column[], rows: AsyncIterable<Row[]>): AsyncGenerator<string> {
  const object = objectWriter(columns);
  let separator = '[\n';
  for await (const some of rows) {
    yield `${separator}${some.map(object).join(',\n')}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Writes rows as JSON objects, one a line. Numbers have all their digits. */
export async function* writeNdjson(columns: readonly Column[], rows: AsyncIterable<Row[]>): AsyncGenerator<string> {
  const object = objectWriter(columns);
  for await (const some of rows) yield some.map((row) => `${object(row)}\n`).join('');
}

function objectWriter(columns: readonly Column[]): (row: Row) => string {
  const keys = jsonKeys(columns);
  return (row) => {
    const members = columns.map((column, index) => `${keys[index] ?? ''}:${value(row[index] ?? null, column)}`);
    return `{${members.join(',')}}`;
  };
}

function value(text: string | null, column: Column): string {
  return text !== null && isNumber(text, column) ? text : JSON.stringify(text);
}
