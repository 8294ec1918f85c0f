import type { DataSourceType } from '@rolecall/api';
import { isNumber } from '@rolecall/api/cells';
import { quoted } from '../editor/quoted.ts';
import type { Column, Row } from './rows/column.ts';

/**
 * Writes rows as one INSERT into `table_name`, which the person replaces: a result does not say which table it is from.
 *
 * @param type whose literals it has
 */
export function insertStatement(columns: readonly Column[], rows: readonly Row[], type: DataSourceType): string {
  const names = columns.map(({ name }) => quoted(name, type)).join(', ');
  const values = rows.map(
    (row) => `  (${columns.map((column, at) => literal(row[at] ?? null, column, type)).join(', ')})`,
  );
  return `INSERT INTO table_name (${names}) VALUES\n${values.join(',\n')};`;
}

function literal(value: string | null, column: Column, type: DataSourceType): string {
  if (value === null) return 'NULL';
  if (isNumber(value, column)) return value;
  if (column.format === 'bytea') return type === 'postgresql' ? `'\\x${value}'` : `X'${value}'`;
  const text = value.replaceAll("'", "''");
  if (type === 'postgresql' || type === 'sqlite') return `'${text}'`;
  // A time with a Z is refused, or read in the zone of the session.
  if (column.format === 'timestamptz' && value.endsWith('Z'))
    return `CONVERT_TZ('${value.slice(0, -1)}', '+00:00', @@time_zone)`;
  return `'${text.replaceAll('\\', '\\\\')}'`;
}
