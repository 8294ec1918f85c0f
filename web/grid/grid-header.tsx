import { type GridModel, headerHeight } from './grid-model.ts';
import { cellText } from './values/cell-text.ts';

/** The names and types of the columns, by which rows are sorted. */
export function GridHeader({ model, columns }: { readonly model: GridModel; readonly columns: readonly number[] }) {
  const { offsets, view, rowNumberWidth } = model;
  const start = rowNumberWidth.value - view.value.left;
  return (
    <div class="grid-header" role="row" aria-rowindex={1} style={{ height: `${headerHeight}px` }}>
      {columns.map((column) => (
        <ColumnHeader key={column} model={model} column={column} left={start + (offsets.value[column] ?? 0)} />
      ))}
      <div class="grid-number" role="columnheader" aria-colindex={1} style={{ width: `${rowNumberWidth.value}px` }}>
        <span class="unseen">Row</span>
      </div>
    </div>
  );
}

interface ColumnHeaderProps {
  readonly model: GridModel;
  readonly column: number;
  readonly left: number;
}

const marks = { ascending: '▲', descending: '▼' } as const;

function ColumnHeader({ model, column, left }: ColumnHeaderProps) {
  const { name = '', type = '' } = model.columns[column] ?? {};
  const { sorting } = model.arrangement;
  const direction = sorting.value?.column === column ? sorting.value.direction : undefined;
  const { row, column: activeColumn } = model.active.value;
  return (
    <div
      class="grid-name"
      role="columnheader"
      aria-colindex={column + 2}
      aria-sort={direction ?? 'none'}
      tabIndex={row === -1 && activeColumn === column ? 0 : -1}
      title={name.length > 20 ? cellText(name) : undefined}
      style={{ left: `${left}px`, width: `${model.widths.value[column] ?? 0}px` }}
      onClick={() => {
        model.go({ row: -1, column });
        model.arrangement.sortBy(column);
      }}
    >
      <span class="name">{cellText(name)}</span>
      {direction !== undefined && <span aria-hidden="true"> {marks[direction]}</span>}
      <span class="type">{type}</span>
      <Resizer model={model} column={column} />
    </div>
  );
}

/** The edge that the mouse drags; for the keyboard, Shift and the arrow keys do the same. */
function Resizer({ model, column }: { readonly model: GridModel; readonly column: number }) {
  return (
    <span
      class="grid-resizer"
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation();
      }}
      onDblClick={(event) => {
        event.stopPropagation();
        model.fit(column);
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        event.stopPropagation();
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const edge = event.currentTarget.getBoundingClientRect();
        model.resize(column, (model.widths.value[column] ?? 0) + event.clientX - edge.left - edge.width / 2);
      }}
    />
  );
}
