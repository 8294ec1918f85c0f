import { type GridModel, outOfSight } from './grid-model.ts';
import { isIn } from './rows/selection.ts';
import { cellText } from './values/cell-text.ts';
import { count } from './values/summary.ts';

interface GridRowProps {
  readonly model: GridModel;
  /** Its place in the grid, from 0. */
  readonly place: number;
  /** The columns that are in the document. */
  readonly columns: readonly number[];
  /** In pixels, from the top of the grid. */
  readonly top: number;
}

/** A row: its number, and those of its cells that can be seen. */
export function GridRow({ model, place, columns, top }: GridRowProps) {
  const row = model.rowAt(place);
  const start = model.rowNumberWidth.value - model.view.value.left;
  return (
    <div
      class={place % 2 === 0 ? 'grid-row' : 'grid-row odd'}
      role="row"
      aria-rowindex={place + 2}
      aria-busy={row === undefined && top !== outOfSight ? 'true' : undefined}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map((column) => {
        const left = start + (model.offsets.value[column] ?? 0);
        return <Cell key={column} {...{ model, place, column, left }} value={row?.[column]} />;
      })}
      <div class="grid-number" role="rowheader" aria-colindex={1} style={{ width: `${model.rowNumberWidth.value}px` }}>
        {count(model.rowNumber(place))}
      </div>
    </div>
  );
}

interface CellProps {
  readonly model: GridModel;
  readonly place: number;
  readonly column: number;
  readonly left: number;
  /** Undefined while it was not read. */
  readonly value: string | null | undefined;
}

function Cell({ model, place, column, left, value }: CellProps) {
  const { active, selection, widths, columns } = model;
  const isActive = active.value.row === place && active.value.column === column;
  const isSelected = isIn(selection.value, { row: place, column });
  const { format } = columns[column] ?? {};
  const isNumeric = format === 'integer' || format === 'numeric';
  return (
    <div
      class={`grid-cell${isNumeric ? ' numeric' : ''}${value === null ? ' null' : ''}${isSelected ? ' selected' : ''}`}
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={isSelected}
      aria-label={value === null ? 'NULL, no value' : value === '' ? 'empty text' : undefined}
      tabIndex={isActive ? 0 : -1}
      style={{ left: `${left}px`, width: `${widths.value[column] ?? 0}px` }}
    >
      {value === undefined ? '…' : value === null ? 'NULL' : cellText(value)}
    </div>
  );
}
