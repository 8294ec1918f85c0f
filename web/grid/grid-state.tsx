import { Failure } from '../parts/failure.tsx';
import type { Copying } from './copying.ts';
import type { GridModel, RowsResult } from './grid-model.ts';
import { cellText } from './values/cell-text.ts';
import { count, counted } from './values/summary.ts';

interface GridStateProps {
  readonly model: GridModel;
  readonly copying: Copying;
  readonly result: RowsResult;
}

/** Shows how much of the result is in the grid, and failures. */
export function GridState({ model, copying, result }: GridStateProps) {
  const { arrangement, columns } = model;
  const { hasMore, error } = result.detail;
  // Read here, so that a page that fails is said at once.
  const failed = model.version.value >= 0 ? model.pages.failedIn(model.rows.value) : undefined;
  return (
    <>
      <div class="grid-state quiet">
        <span>
          {counted(model.count.value, 'row')}
          {hasMore && ' so far'}, {counted(columns.length, 'column')}
        </span>
        <span role="status">
          {arranged(model)} {copying.said.value}
        </span>
      </div>
      {error !== undefined && (
        <p class="notice bad" role="alert">
          These are not all rows: {error}
        </p>
      )}
      <Failure error={copying.error.value} />
      <Failure error={arrangement.error.value} retry={() => void arrangement.apply()} />
      {failed !== undefined && (
        <div class="failed-page">
          <span>
            Rows {count(failed.rows.first + 1)} to {count(failed.rows.end)} could not be read.
          </span>
          <Failure
            error={failed.error}
            retry={() => {
              model.retry();
            }}
          />
        </div>
      )}
    </>
  );
}

/** The scope of the sorting and the filter: only loaded rows. */
function arranged({ arrangement, columns, count: total }: GridModel): string {
  if (arrangement.isLoading.value) return 'Loading rows to sort and filter…';
  const shown = arrangement.shown.value;
  if (shown === undefined) return '';
  const loaded = shown.rows.length;
  const isAll = loaded >= total.value;
  const scope = isAll ? `all ${counted(loaded, 'row')}` : `the first ${counted(loaded, 'row')}, which are loaded`;
  const { filter, sorting } = arrangement;
  const name = columns[sorting.value?.column ?? -1]?.name;
  const parts = [
    ...(filter.value === '' ? [] : [`${counted(shown.indexes.length, 'row')} contain “${cellText(filter.value)}”`]),
    ...(name === undefined ? [] : [`sorted by ${cellText(name)}, ${sorting.value?.direction ?? ''}`]),
  ];
  const rest = isAll ? '' : ' Use ORDER BY and WHERE in the query for all rows.';
  return `Of ${scope}: ${parts.join(', ')}.${rest}`;
}
