import { isNumber, jsonKeys } from '@rolecall/api/cells';
import type { Column, Row } from './rows/column.ts';

export type CopyFormat = 'tsv' | 'csv' | 'markdown' | 'json';

/** Cells to copy: the columns, and the rows with the cells of these columns only. */
export interface Cells {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/**
 * Writes cells as text. Values are as they are, also those that a spreadsheet would take for formulas.
 *
 * @param withNames whether the first line has the names of the columns. Markdown and JSON always have them.
 */
export function writeCells(cells: Cells, format: CopyFormat, withNames: boolean): string {
  const { columns, rows } = cells;
  const [only] = rows;
  switch (format) {
    case 'tsv':
      // A single value is copied unchanged, to paste into a search field or a text.
      if (rows.length === 1 && columns.length === 1 && !withNames) return only?.[0] ?? '';
      return separated(cells, { separator: '\t', special: /["\t\r\n]/, newLine: '\n', withNames });
    case 'csv':
      return separated(cells, { separator: ',', special: /[",\r\n]/, newLine: '\r\n', withNames });
    case 'markdown':
      return markdown(cells);
    case 'json':
      return json(cells);
  }
}

interface Separated {
  readonly separator: string;
  /** Characters for which a field must be quoted. */
  readonly special: RegExp;
  readonly newLine: string;
  readonly withNames: boolean;
}

/** NULL is an empty field; an empty text is two quotes. */
function separated({ columns, rows }: Cells, { separator, special, newLine, withNames }: Separated): string {
  const field = (value: string | null) => {
    if (value === null) return '';
    return value === '' || special.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const lines = withNames ? [columns.map(({ name }) => name), ...rows] : rows;
  return lines.map((line) => line.map(field).join(separator)).join(newLine);
}

function markdown({ columns, rows }: Cells): string {
  const cell = (value: string | null) =>
    value === null ? 'NULL' : value.replace(/[\\|`*_<[\]]/g, '\\$&').replace(/\r\n|[\r\n]/g, '<br>');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => cell(name))),
    line(columns.map(({ format }) => (format === 'integer' || format === 'numeric' ? '---:' : '---'))),
    ...rows.map((row) => line(row.map(cell))),
  ].join('\n');
}

/** Numbers have all their digits. */
function json({ columns, rows }: Cells): string {
  const keys = jsonKeys(columns);
  const member = (value: string | null, index: number) => {
    const column = columns[index];
    const bare = value !== null && column !== undefined && isNumber(value, column);
    return `${keys[index] ?? ''}: ${bare ? value : JSON.stringify(value)}`;
  };
  return `[\n${rows.map((row) => `  { ${row.map(member).join(', ')} }`).join(',\n')}\n]`;
}
