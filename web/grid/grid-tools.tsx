import { useRef } from 'preact/hooks';
import { CopyMenu } from './copy-menu.tsx';
import type { Copying } from './copying.ts';
import { ExportMenu } from './export-menu.tsx';
import type { GridModel, RowsResult } from './grid-model.ts';

interface GridToolsProps {
  readonly model: GridModel;
  readonly copying: Copying;
  /** As it is now: more rows may come. */
  readonly result: RowsResult;
  /** Goes to a row, by its number from 1. */
  readonly goTo: (row: number) => void;
}

/** How long nothing is typed before the filter is applied, in milliseconds. */
const typingPause = 200;

/** What can be done with the rows: filter, go to one, copy, download, see a whole value. */
export function GridTools({ model, copying, result, goTo }: GridToolsProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <div class="grid-tools">
      <input
        type="search"
        aria-label="Filter"
        placeholder="Filter"
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            model.arrangement.filterBy(value);
          }, typingPause);
        }}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const row = Number(new FormData(event.currentTarget).get('row'));
          if (row >= 1) goTo(row);
        }}
      >
        <input
          type="number"
          name="row"
          min={1}
          max={Math.max(1, model.shownCount.value)}
          aria-label="Go to row"
          placeholder="Go to row"
        />
      </form>
      <CopyMenu model={model} copying={copying} />
      <ExportMenu result={result} />
      <button
        type="button"
        aria-pressed={model.isViewing.value}
        onClick={() => {
          model.isViewing.value = !model.isViewing.value;
        }}
      >
        Whole value
      </button>
    </div>
  );
}
