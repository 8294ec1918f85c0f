import { type ReadonlySignal, signal } from '@preact/signals';
import { arrange, type Sorting } from './arrange.ts';
import type { Column, Row } from './column.ts';
import type { Span } from './window.ts';

/** Rows that the page sorts, filters or copies at a time, at most. The database sorts any number, and a download has all. */
export const mostRows = 5000;

interface Shown {
  readonly rows: readonly Row[];
  /** Of the rows that stay, in their order. */
  readonly indexes: readonly number[];
}

/** The sorting and the filter. They apply to the first rows, which are loaded for that. */
export class Arrangement {
  readonly sorting = signal<Sorting | undefined>(undefined);
  readonly filter = signal('');
  /** Undefined while the rows are shown as they came. */
  readonly shown = signal<Shown | undefined>(undefined);
  readonly isLoading = signal(false);
  readonly error = signal<Error | undefined>(undefined);
  readonly #columns: readonly Column[];
  readonly #load: (span: Span, signal: AbortSignal) => Promise<Row[]>;
  readonly #count: ReadonlySignal<number>;
  #controller = new AbortController();

  constructor(
    columns: readonly Column[],
    load: (span: Span, signal: AbortSignal) => Promise<Row[]>,
    count: ReadonlySignal<number>,
  ) {
    this.#columns = columns;
    this.#load = load;
    this.#count = count;
  }

  /** Sorts by a column: first ascending, then descending, then not at all. */
  sortBy(column: number): void {
    const sorting = this.sorting.value;
    if (sorting?.column !== column) this.sorting.value = { column, direction: 'ascending' };
    else this.sorting.value = sorting.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
    void this.apply();
  }

  filterBy(filter: string): void {
    this.filter.value = filter;
    void this.apply();
  }

  clear(): void {
    this.#controller.abort();
    this.sorting.value = undefined;
    this.filter.value = '';
    this.shown.value = undefined;
    this.error.value = undefined;
    this.isLoading.value = false;
  }

  /** Shows the rows as the sorting and the filter say. */
  async apply(): Promise<void> {
    this.#controller.abort();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const wanted = { filter: this.filter.value, sorting: this.sorting.value };
    this.error.value = undefined;
    if (wanted.filter === '' && wanted.sorting === undefined) {
      this.clear();
      return;
    }
    this.isLoading.value = true;
    try {
      const rows = await this.#rows(signal);
      if (signal.aborted) return;
      this.shown.value = { rows, indexes: arrange(rows, this.#columns, wanted) };
    } catch (error) {
      if (signal.aborted) return;
      this.error.value = error instanceof Error ? error : new Error(String(error));
    }
    this.isLoading.value = false;
  }

  /** The rows that are loaded; those before serve again, unless more have come. */
  async #rows(signal: AbortSignal): Promise<readonly Row[]> {
    const wanted = Math.min(this.#count.value, mostRows);
    const loaded = this.shown.value?.rows;
    if (loaded !== undefined && loaded.length >= wanted) return loaded;
    return this.#load({ first: 0, end: wanted }, signal);
  }
}
