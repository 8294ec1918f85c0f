import type { CopyFormat } from './copy-formats.ts';
import type { Copying } from './copying.ts';
import type { GridModel } from './grid-model.ts';
import { Menu } from './menu.tsx';

const labels: Readonly<Record<CopyFormat, string>> = {
  tsv: 'For a spreadsheet (TSV)',
  csv: 'CSV',
  markdown: 'Markdown',
  json: 'JSON',
};

/** Copies the selection in one of several forms. */
export function CopyMenu({ model, copying }: { readonly model: GridModel; readonly copying: Copying }) {
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
