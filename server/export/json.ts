import type { Column } from '../databases/rows/results.ts';
import { isNumber } from './number.ts';
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
  const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
  return (row) => {
    const members = columns.map((column, index) => `${keys[index] ?? ''}:${value(row[index] ?? null, column)}`);
    return `{${members.join(',')}}`;
  };
}

/** Of columns with the same name, a reader of JSON would get only the last: the second becomes `name_2`. */
function uniqueNames(columns: readonly Column[]): string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

function value(text: string | null, column: Column): string {
  return text !== null && isNumber(text, column) ? text : JSON.stringify(text);
}
