import { cellText, textWidth } from '../values/cell-text.ts';
import type { Column, Row } from './column.ts';

/** In pixels: one character of the grid's font, and the space beside the text of a cell. */
const character = 7.9;
const padding = 18;

export const narrowest = 48;
const widest = 400;
/** A plan or a document is often alone in its row. */
const widestAlone = 1200;

/** Widths by content, in pixels. @param rows some of the result's rows */
export function columnWidths(columns: readonly Column[], rows: readonly Row[]): number[] {
  return columns.map((_column, index) => columnWidth(columns, rows, index));
}

export function columnWidth(columns: readonly Column[], rows: readonly Row[], index: number): number {
  const { name = '', type = '' } = columns[index] ?? {};
  // The mark of the sorting is beside the name.
  const names = Math.max(textWidth(name) + 3, textWidth(type));
  const cells = rows.map((row) => textWidth(cellText(row[index] ?? 'NULL')));
  const most = cells.reduce((width, other) => Math.max(width, other), names);
  const wanted = Math.ceil(most * character) + padding;
  return Math.max(narrowest, Math.min(wanted, columns.length === 1 ? widestAlone : widest));
}
