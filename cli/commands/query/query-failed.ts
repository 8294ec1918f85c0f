import { findErrorPosition } from '@rolecall/api/cells';
import { displayWidth } from '@rolecall/crds';
import { type Palette, visible, visibleLines } from '@rolecall/reconcile';
import { CliError } from '../../errors.ts';

/** Characters of a line that are shown on either side of a mark. */
const context = 60;

/** The database refused a statement. */
export class QueryFailedError extends CliError {
  override name = 'QueryFailedError';
  readonly #sql: string | undefined;
  readonly #index: number | undefined;

  /** @param sql the statement that failed; undefined where it is not known which one did */
  constructor(query: string, message: string, sql: string | undefined) {
    const index = sql === undefined ? undefined : findErrorPosition(message, sql);
    const place = sql === undefined || index === undefined ? {} : lineAndColumn(sql, index);
    super('ERR_QUERY_FAILED', message, { query, ...place });
    this.#sql = sql;
    this.#index = index;
  }

  override render(palette: Palette): string {
    const message = visibleLines(this.message);
    if (this.#sql === undefined || this.#index === undefined) return message;
    return `${message}\n${excerpt(this.#sql, this.#index, palette)}`;
  }
}

function lineAndColumn(sql: string, index: number): { line: number; column: number } {
  const { line, column } = placeOf(sql, index);
  return { line, column };
}

/** The line, with a mark under the position. A long line is cut to the text around it. */
function excerpt(sql: string, index: number, { dim, remove }: Palette): string {
  const { line, column, text } = placeOf(sql, index);
  const from = Math.max(0, column - 1 - context);
  const head = visible(`${from > 0 ? '…' : ''}${text.slice(from, column - 1)}`);
  const after = visible(
    `${text.slice(column - 1, column - 1 + context)}${column - 1 + context < text.length ? '…' : ''}`,
  );
  const number = String(line).padStart(5);
  const mark = ' '.repeat(displayWidth(head)) + remove('^');
  return `${dim(`${number} |`)} ${head}${after}\n${dim(`${' '.repeat(number.length)} |`)} ${mark}`;
}

/** The line of a position in a text, and the column in it; both count from 1. */
function placeOf(sql: string, index: number): { line: number; column: number; text: string } {
  const start = sql.lastIndexOf('\n', index - 1) + 1;
  const end = sql.indexOf('\n', start);
  const line = sql.slice(0, start).split('\n').length;
  return { line, column: index - start + 1, text: sql.slice(start, end === -1 ? undefined : end).replace(/\r$/, '') };
}
