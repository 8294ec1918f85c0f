import { signal } from '@preact/signals';
import type { DataSourceType } from '@rolecall/api';
import { writeToClipboard } from '../browser/clipboard.ts';
import { type CopyFormat, writeCells } from './copy-formats.ts';
import type { GridModel } from './grid-model.ts';
import { insertStatement } from './insert-statement.ts';
import { mostRows } from './rows/arrangement.ts';
import { count, counted } from './values/summary.ts';

/** As an INSERT for a data source of this type. */
interface InsertFor {
  readonly insertFor: DataSourceType;
}

/** Copies the selection, and reports the outcome. */
export class Copying {
  /** True if copies begin with the names of the columns; a single cell never does. */
  readonly withNames = signal(true);
  readonly said = signal('');
  readonly error = signal<Error | undefined>(undefined);

  async copy(model: GridModel, format: CopyFormat | InsertFor): Promise<void> {
    this.error.value = undefined;
    this.said.value = '';
    try {
      this.said.value = await copySelection(model, format, this.withNames.value);
    } catch (error) {
      this.error.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}

async function copySelection(model: GridModel, format: CopyFormat | InsertFor, wantsNames: boolean): Promise<string> {
  const { rows, columns } = model.selection.value;
  const size = Math.min(rows.end, model.shownCount.value) - rows.first;
  if (size > mostRows) {
    throw new Error(
      `A copy has at most ${count(mostRows)} rows, and ${count(size)} are selected. A download has all rows.`,
    );
  }
  const loaded = await model.rowsAt(rows, new AbortController().signal);
  if (loaded.length < size) throw new Error('These rows are too large for a copy. A download has all rows.');
  const cells = {
    columns: model.columns.slice(columns.first, columns.end),
    rows: loaded.map((row) => row.slice(columns.first, columns.end)),
  };
  const isOne = size === 1 && cells.columns.length === 1;
  const text =
    typeof format === 'object'
      ? insertStatement(cells.columns, cells.rows, format.insertFor)
      : writeCells(cells, format, wantsNames && !isOne);
  await writeToClipboard(text);
  return isOne ? 'Copied the value.' : `Copied ${counted(size, 'row')} of ${counted(cells.columns.length, 'column')}.`;
}
