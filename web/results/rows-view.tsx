import type { DataSourceType } from '@rolecall/api';
import { useEffect, useMemo } from 'preact/hooks';
import { CellViewer } from '../grid/cell-viewer.tsx';
import { Copying } from '../grid/copying.ts';
import { Grid } from '../grid/grid.tsx';
import { GridModel, type RowsResult } from '../grid/grid-model.ts';
import { GridState } from '../grid/grid-state.tsx';
import { GridTools } from '../grid/grid-tools.tsx';
import type { Scroller } from '../grid/scroller.ts';
import { Failure } from '../parts/failure.tsx';

interface RowsViewProps {
  readonly result: RowsResult;
  readonly type: DataSourceType | undefined;
}

/** The rows of a result, with their actions. */
export function RowsView({ result, type }: RowsViewProps) {
  const model = useMemo(() => new GridModel(result, type), []);
  const copying = useMemo(() => new Copying(), []);
  const parts = useMemo((): { scroller: Scroller | undefined } => ({ scroller: undefined }), []);
  const { numRows } = result.detail;
  useEffect(() => {
    model.grow(numRows);
    model.wantRows();
  }, [numRows]);
  useEffect(
    () => () => {
      model.pages.clear();
    },
    [],
  );
  if (model.closed.value !== undefined) {
    return (
      <Failure
        error={model.closed.value}
        retry={() => {
          model.retry();
        }}
      />
    );
  }
  const goTo = (row: number) => {
    model.go({ row: row - 1, column: model.active.value.column });
    parts.scroller?.show(model.active.value);
  };
  return (
    <>
      <GridTools model={model} copying={copying} result={result} goTo={goTo} />
      <GridState model={model} copying={copying} result={result} />
      <div class="grid-and-value">
        <Grid
          model={model}
          copying={copying}
          onScroller={(scroller) => {
            parts.scroller = scroller;
          }}
        />
        {model.isViewing.value && <CellViewer model={model} />}
      </div>
    </>
  );
}
