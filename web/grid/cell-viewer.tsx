import { useSignal } from '@preact/signals';
import { writeToClipboard } from '../browser/clipboard.ts';
import { useAction } from '../browser/use-action.ts';
import { Failure } from '../parts/failure.tsx';
import type { GridModel } from './grid-model.ts';
import { HexDump } from './values/hex-dump.tsx';
import { parseTree } from './values/json-nodes.ts';
import { JsonTree } from './values/json-tree.tsx';
import { count, counted } from './values/summary.ts';

/** The length of a text that is shown at a time, in characters: laying out more makes the page slow. */
const step = 100_000;

/** The whole value of the active cell. It follows the active cell. */
export function CellViewer({ model }: { readonly model: GridModel }) {
  const { row, column } = model.active.value;
  // Rows that are still being read appear when they are there.
  const value = model.version.value >= 0 ? model.rowAt(row)?.[column] : undefined;
  const { name = '', type = '' } = model.columns[column] ?? {};
  return (
    <aside
      class="cell-viewer"
      aria-label="Whole value"
      onKeyDown={(event) => {
        if (event.key === 'Escape') model.isViewing.value = false;
      }}
    >
      <div class="row">
        <h2>
          {name} <span class="quiet">{type}</span>
        </h2>
        <button
          type="button"
          onClick={() => {
            model.isViewing.value = false;
          }}
        >
          Close
        </button>
      </div>
      {row === -1 || value === undefined ? (
        <p class="quiet">{row === -1 ? 'Go to a cell to see its whole value.' : 'Not read yet.'}</p>
      ) : (
        <Value key={`${row} ${column}`} value={value} model={model} row={row} />
      )}
    </aside>
  );
}

interface ValueProps {
  readonly value: string | null;
  readonly model: GridModel;
  readonly row: number;
}

function Value({ value, model, row }: ValueProps) {
  const isText = useSignal(false);
  const action = useAction();
  const format = model.columns[model.active.value.column]?.format;
  const tree = value === null || format === 'bytea' || isText.value ? undefined : parseTree(value);
  return (
    <>
      <p class="quiet">
        Row {count(model.rowNumber(row))}, {size(value, format)}
      </p>
      {value !== null && (
        <div class="grid-tools">
          <button
            type="button"
            onClick={() => {
              action.run(() => writeToClipboard(value));
            }}
          >
            Copy the value
          </button>
          {(tree !== undefined || isText.value) && (
            <button
              type="button"
              onClick={() => {
                isText.value = !isText.value;
              }}
            >
              {isText.value ? 'As a tree' : 'As text'}
            </button>
          )}
        </div>
      )}
      <Failure error={action.error} />
      {/* It scrolls, so the keyboard must reach it. */}
      <div class="cell-value" tabIndex={0} role="group" aria-label="Value">
        {value === null && <span class="null">NULL</span>}
        {value === '' && <span class="quiet">This text is empty.</span>}
        {value !== null && format === 'bytea' && <HexDump digits={value} />}
        {tree !== undefined && <JsonTree node={tree} />}
        {value !== null && format !== 'bytea' && tree === undefined && <Text value={value} />}
      </div>
    </>
  );
}

function size(value: string | null, format: string | undefined): string {
  if (value === null) return 'no value';
  return format === 'bytea' ? counted(value.length / 2, 'byte') : counted(value.length, 'character');
}

function Text({ value }: { readonly value: string }) {
  const shown = useSignal(step);
  return (
    <>
      <pre>{value.slice(0, shown.value)}</pre>
      {value.length > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value += step;
          }}
        >
          Show {counted(Math.min(step, value.length - shown.value), 'more character')}
        </button>
      )}
    </>
  );
}
