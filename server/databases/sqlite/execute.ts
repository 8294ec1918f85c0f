import type { SQLInputValue, SQLOutputValue, StatementColumnMetadata, StatementSync } from 'node:sqlite';
import { longestRow, rowTooLong } from '../../protocols/frames.ts';
import { type CommentRules, leadingWords } from '../leading-words.ts';
import { withoutExponent } from '../rows/decimal.ts';
import { longestText, writeHex, writeNull, writeText } from '../rows/json-text.ts';
import type { Column, ColumnFormat, Completion } from '../rows/results.ts';
import { beginRow, createRowBuffer, endRow, fits, type RowBuffer } from '../rows/row-buffer.ts';
import { type Bindings, CommandError, numbered } from '../session.ts';
import type { GuardedDatabase } from './guarded-database.ts';
import { writeFrame, writeRows } from './write-frame.ts';

const comments: CommentRules = { nested: false, hash: false, blankAfterDashes: false, lineEnd: /\n/ };
const changing = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'WITH']);
/** Time that a row may wait for more rows, in milliseconds. */
const longestWait = 100;

/** Runs one command and writes its result. */
export function execute(database: GuardedDatabase, command: string, bindings: Bindings): Completion {
  // SQLite and this process would count half a character differently.
  const sql = command.toWellFormed();
  const { words, empty } = leadingWords(sql, comments, 1);
  if (empty) return { kind: 'update', updateCount: null };
  const statement = database.prepare(sql);
  const rest = sql.slice(statement.sourceSQL.length);
  if (!leadingWords(rest, comments, 1).empty) throw new CommandError('a command must be one statement, not several');
  const completion = run(statement, words[0] ?? '', parametersOf(sql, bindings));
  if (!database.isTransaction()) throw new CommandError('the command ended the transaction');
  return completion;
}

type Parameters = [Record<string, SQLInputValue>, ...SQLInputValue[]];

/** SQLite knows `?1` by this name, and `?` by none. The driver refuses a name that the command does not have. */
function parametersOf(sql: string, bindings: Bindings): Parameters {
  const isNumber = ([name]: [string, unknown]) => /^\d+$/.test(name);
  const entries = Object.entries(bindings);
  const numbers = entries.filter(isNumber);
  const names = entries.filter((entry) => !isNumber(entry));
  if (/\?\d/.test(sql)) names.push(...numbers.map(([name, value]): [string, string | null] => [`?${name}`, value]));
  return [Object.fromEntries(names), ...(/\?\d/.test(sql) ? [] : numbered(Object.fromEntries(numbers)))];
}

function run(statement: StatementSync, word: string, parameters: Parameters): Completion {
  if (statement.columns().length > 0) {
    writeResult(statement, parameters);
    return { kind: 'query', updateCount: null };
  }
  const { changes } = statement.run(...parameters);
  return { kind: 'update', updateCount: changing.has(word) ? Number(changes) : null };
}

function writeResult(statement: StatementSync, parameters: Parameters): void {
  let buffer = createRowBuffer(0);
  let since = performance.now();
  // Rows are arrays, since the statement was prepared so; the types of Node do not follow that.
  const rows = statement.iterate(...parameters) as Iterator<unknown> as Iterator<SQLOutputValue[]>;
  let next = rows.next();
  writeFrame('columns', columnsOf(statement.columns(), next.done === true ? undefined : next.value));
  for (; next.done !== true; next = rows.next()) {
    buffer = writeRow(buffer, next.value);
    if (buffer.count % 64 === 1 && performance.now() - since > longestWait) {
      writeRows(buffer);
      since = performance.now();
    }
  }
  writeRows(buffer);
}

function writeRow(given: RowBuffer, cells: readonly SQLOutputValue[]): RowBuffer {
  const values = cells.map((value) => (value instanceof Uint8Array ? value : encoded(value)));
  const length = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  if (length > longestRow) throw new CommandError(rowTooLong);
  const size = longestText(length) + values.length * 5 + 2;
  let buffer = given;
  if (!fits(buffer, size)) {
    writeRows(buffer);
    if (!fits(buffer, size)) buffer = createRowBuffer(size + 1);
  }
  beginRow(buffer);
  const { bytes } = buffer;
  let at = buffer.end;
  bytes[at++] = 0x5b;
  for (const [index, value] of values.entries()) {
    if (index > 0) bytes[at++] = 0x2c;
    if (value === undefined) at = writeNull(bytes, at);
    else if (cells[index] instanceof Uint8Array) at = writeHex(bytes, at, value, 0, value.length);
    else at = writeText(bytes, at, value, 0, value.length);
  }
  bytes[at++] = 0x5d;
  endRow(buffer, at);
  return buffer;
}

function encoded(value: Exclude<SQLOutputValue, Uint8Array>): Buffer | undefined {
  const text = textOf(value);
  return text === null ? undefined : Buffer.from(text);
}

/** A value that SQLite gives as text: a float always has a point, as SQLite itself writes it. */
function textOf(value: null | number | bigint | string): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (Object.is(value, -0)) return '-0.0';
  const text = withoutExponent(String(value));
  return Number.isInteger(value) ? `${text}.0` : text;
}

/**
 * Columns of a statement. Those of a table have the type they were declared with; an expression has none, so its first
 * value's type stands for it. A number of an expression is `numeric`: the next row's may have a fraction.
 *
 * @param first row of the result, if it has one
 */
function columnsOf(
  columns: readonly StatementColumnMetadata[],
  first: readonly SQLOutputValue[] | undefined,
): Column[] {
  return columns.map(({ name, type }, index) => {
    const valueType = typeOf(first?.[index] ?? null);
    const format = type === null ? formatOfValue(valueType) : formatOfDeclared(type);
    return { ordinalPosition: index, name, type: type ?? valueType, format };
  });
}

/** The rules of column affinity, in their order (sqlite.org/datatype3.html, 3.1). */
function formatOfDeclared(type: string): ColumnFormat {
  if (/INT/i.test(type)) return 'integer';
  if (/CHAR|CLOB|TEXT/i.test(type)) return 'string';
  if (/BLOB/i.test(type)) return 'bytea';
  if (/REAL|FLOA|DOUB/i.test(type)) return 'numeric';
  // SQLite has no dates: what is declared so holds texts, as a rule, or numbers of several meanings.
  return /NUM|DEC|BOOL/i.test(type) ? 'numeric' : 'string';
}

function formatOfValue(type: string): ColumnFormat {
  if (type === 'blob') return 'bytea';
  return type === 'integer' || type === 'real' ? 'numeric' : 'string';
}

function typeOf(value: SQLOutputValue): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return 'real';
  return typeof value === 'string' ? 'text' : 'blob';
}
