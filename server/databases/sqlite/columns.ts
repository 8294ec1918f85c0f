import type { SQLOutputValue, StatementColumnMetadata } from 'node:sqlite';
import type { Column, ColumnFormat } from '../rows/results.ts';

/**
 * Columns of a statement. Those of a table have the type they were declared with; an expression has none, so its first
 * value's type stands for it. A number of an expression is `numeric`: the next row's may have a fraction.
 *
 * @param first row of the result, if it has one
 */
export function columnsOf(
  columns: readonly StatementColumnMetadata[],
  first: readonly SQLOutputValue[] | undefined,
): Column[] {
  return columns.map(({ name, type }, index) => {
    const own = typeOf(first?.[index] ?? null);
    const format = type === null ? formatOfValue(own) : formatOfDeclared(type);
    return { ordinalPosition: index, name, type: type ?? own, format };
  });
}

/** The rules of column affinity, in their order (sqlite.org/datatype3.html, 3.1). */
export function formatOfDeclared(type: string): ColumnFormat {
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
