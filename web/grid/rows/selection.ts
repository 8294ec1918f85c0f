import type { Span } from './window.ts';

/** A cell. Row -1 is that of the column names. */
export interface Position {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells. */
export interface Area {
  readonly rows: Span;
  readonly columns: Span;
}

export interface Bounds {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows that can be seen at a time. */
  readonly page: number;
}

export interface Key {
  readonly key: string;
  /** Control, or Command on a Mac. */
  readonly isFar: boolean;
}

/** Finds the cell to which a key leads from another; undefined for a key that leads nowhere. */
export function move({ row, column }: Position, { key, isFar }: Key, bounds: Bounds): Position | undefined {
  const [lastRow, lastColumn] = [bounds.rows - 1, bounds.columns - 1];
  switch (key) {
    case 'ArrowUp':
      return clamp({ row: isFar ? 0 : row - 1, column }, bounds);
    case 'ArrowDown':
      return clamp({ row: isFar ? lastRow : row + 1, column }, bounds);
    case 'ArrowLeft':
      return clamp({ row, column: isFar ? 0 : column - 1 }, bounds);
    case 'ArrowRight':
      return clamp({ row, column: isFar ? lastColumn : column + 1 }, bounds);
    case 'PageUp':
      return clamp({ row: row === -1 ? -1 : Math.max(0, row - bounds.page), column }, bounds);
    case 'PageDown':
      return clamp({ row: row + bounds.page, column }, bounds);
    case 'Home':
      return clamp({ row: isFar ? 0 : row, column: 0 }, bounds);
    case 'End':
      return clamp({ row: isFar ? lastRow : row, column: lastColumn }, bounds);
    default:
      return undefined;
  }
}

/** The nearest existing cell. */
export function clamp({ row, column }: Position, bounds: Pick<Bounds, 'rows' | 'columns'>): Position {
  return {
    row: Math.max(-1, Math.min(row, bounds.rows - 1)),
    column: Math.max(0, Math.min(column, bounds.columns - 1)),
  };
}

/** The cells between two, both included; none in the row of the column names. */
export function areaBetween(cell: Position, other: Position): Area {
  return { rows: between(Math.max(0, cell.row), Math.max(0, other.row)), columns: between(cell.column, other.column) };
}

function between(bound: number, other: number): Span {
  return { first: Math.min(bound, other), end: Math.max(bound, other) + 1 };
}

export function isIn({ rows, columns }: Area, { row, column }: Position): boolean {
  return row >= rows.first && row < rows.end && column >= columns.first && column < columns.end;
}
