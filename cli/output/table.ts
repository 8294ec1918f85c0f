import { displayWidth } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';

/** Lines up cells in columns, two blanks apart. Whatever is in a cell stays on its line. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(visible));
  // A loop, since there may be more rows than a call takes arguments.
  const widths = headings.map((_, column) =>
    cells.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
