import type { GridModel } from './grid-model.ts';
import { headerHeight, rowHeight } from './grid-model.ts';
import { clamp, move } from './rows/selection.ts';

/** By how many pixels a key makes a column wider or narrower. */
const step = 16;

/**
 * Handles a key in the grid.
 *
 * @param does the actions outside of the model
 * @returns whether the key does something
 */
export function pressKey(
  model: GridModel,
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  does: { copy: () => void; show: () => void },
): boolean {
  const isFar = event.ctrlKey || event.metaKey;
  const { row, column } = model.active.value;
  if (event.altKey) return false;
  if (isFar && event.key.toLowerCase() === 'c') {
    does.copy();
    return true;
  }
  if (isFar && event.key.toLowerCase() === 'a') return selectAll(model);
  if (event.key === ' ') return selectLine(model, isFar, event.shiftKey);
  if (event.key === 'Enter') {
    if (row === -1) model.arrangement.sortBy(column);
    else model.isViewing.value = true;
    return true;
  }
  if (event.key === 'Escape' && model.isViewing.value) {
    model.isViewing.value = false;
    return true;
  }
  if (row === -1 && event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    model.resize(column, (model.widths.value[column] ?? 0) + (event.key === 'ArrowLeft' ? -step : step));
    return true;
  }
  const page = Math.max(1, Math.floor((model.view.value.height - headerHeight) / rowHeight) - 1);
  const bounds = { rows: model.shownCount.value, columns: model.columns.length, page };
  const to = move({ row, column }, { key: event.key, isFar }, bounds);
  if (to === undefined) return false;
  model.go(to, { isExtending: event.shiftKey && to.row !== -1 });
  does.show();
  return true;
}

function selectAll(model: GridModel): boolean {
  model.select({ row: 0, column: 0 }, lastCell(model));
  return true;
}

/** Control selects the column, Shift the row, as in spreadsheets. */
function selectLine(model: GridModel, isColumn: boolean, isRow: boolean): boolean {
  const { row, column } = model.active.value;
  if (row === -1 || (!isColumn && !isRow)) return row === -1 && sort(model);
  if (isColumn) model.select({ row: 0, column }, { row: lastCell(model).row, column });
  else model.select({ row, column: 0 }, { row, column: lastCell(model).column });
  return true;
}

function sort(model: GridModel): boolean {
  model.arrangement.sortBy(model.active.value.column);
  return true;
}

function lastCell({ shownCount, columns }: GridModel) {
  const bounds = { rows: shownCount.value, columns: columns.length };
  return clamp({ row: bounds.rows, column: bounds.columns }, bounds);
}
