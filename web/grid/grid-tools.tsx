import { operations } from 'virtual:operations';
import { useRef } from 'preact/hooks';
import type { CopyFormat } from './copy-formats.ts';
import type { Copying } from './copying.ts';
import type { GridModel, RowsResult } from './grid-model.ts';
import { Menu } from './menu.tsx';

interface GridToolsProps {
  readonly model: GridModel;
  readonly copying: Copying;
  /** As it is now: more rows may come. */
  readonly result: RowsResult;
  /** Goes to a row, by its number from 1. */
  readonly goTo: (row: number) => void;
}

/** Milliseconds without typing before the filter is applied. */
const typingPause = 200;

/** Tools for the rows: filter, go to a row, copy, download, see a whole value. */
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

const labels: Readonly<Record<CopyFormat, string>> = {
  tsv: 'For a spreadsheet (TSV)',
  csv: 'CSV',
  markdown: 'Markdown',
  json: 'JSON',
};

/** Copies the selection in one of several forms. */
function CopyMenu({ model, copying }: { readonly model: GridModel; readonly copying: Copying }) {
  const { type } = model;
  return (
    <Menu label="Copy">
      {(Object.keys(labels) as CopyFormat[]).map((format) => (
        <button
          key={format}
          type="button"
          onClick={() => {
            void copying.copy(model, format);
          }}
        >
          {labels[format]}
        </button>
      ))}
      {type !== undefined && (
        <button
          type="button"
          title="Into a table_name, which you replace"
          onClick={() => {
            void copying.copy(model, { insertFor: type });
          }}
        >
          INSERT
        </button>
      )}
      <label class="choice">
        <input
          type="checkbox"
          checked={copying.withNames.value}
          onChange={(event) => {
            copying.withNames.value = event.currentTarget.checked;
          }}
        />
        with the names of the columns
      </label>
      <p class="hint">Values are copied as they are. Control and C copies for a spreadsheet.</p>
    </Menu>
  );
}

/** Downloads the whole result. The service names the file after the data source and the time. */
function ExportMenu({ result }: { readonly result: RowsResult }) {
  const { hasMore, error } = result.detail;
  if (hasMore) return <span class="quiet">You can download the rows once all have come.</span>;
  return (
    <Menu label="Download">
      <a href={exportPath(result, 'csv')} download="">
        All rows as CSV
      </a>
      <a href={exportPath(result, 'json')} download="">
        All rows as JSON
      </a>
      {error !== undefined && <p class="hint">The rows are incomplete, and the name of the file says so.</p>}
      <p class="hint">
        In CSV, a text that a spreadsheet would take for a formula (it begins with =, +, −, @ or a tab) has an
        apostrophe before it. NULL is an empty field, and an empty text is two quotes.
      </p>
    </Menu>
  );
}

function exportPath({ queryId, ordinalPosition }: RowsResult, format: 'csv' | 'json'): string {
  const [, path] = operations['exportMyQueryResult'] ?? ['', ''];
  const place = path.replace(':query', encodeURIComponent(queryId)).replace(':resultIndex', String(ordinalPosition));
  return `${place}?format=${format}`;
}
