import { batch, computed, signal } from '@preact/signals';
import type { DataSourceType, QueryResult } from '@rolecall/api';
import { call, Problem } from '../person-client.ts';
import { Arrangement } from './rows/arrangement.ts';
import type { Column, Row } from './rows/column.ts';
import { columnWidth, columnWidths, narrowest } from './rows/column-widths.ts';
import { RowPages } from './rows/row-pages.ts';
import { type Area, areaBetween, clamp, type Position } from './rows/selection.ts';
import { columnOffsets, ScrollScale, type Span, visibleColumns, visibleRows } from './rows/window.ts';

export type RowsResult = Extract<QueryResult, { type: 'query' }>;

export const rowHeight = 28;
export const headerHeight = 48;
/** Place of the active row while it cannot be seen: above the grid. */
export const outOfSight = -2 * rowHeight;

/** A result as the grid shows it: loaded rows, the visible part, the active cell and the selection. */
export class GridModel {
  readonly columns: readonly Column[];
  readonly result: RowsResult;
  /** Type of the data source; undefined where the view does not know it. */
  readonly type: DataSourceType | undefined;
  readonly pages: RowPages;
  readonly arrangement: Arrangement;
  /** Number of rows that can be read. */
  readonly count = signal(0);
  /** Changes when rows were read, or could not be. */
  readonly version = signal(0);
  readonly widths = signal<readonly number[]>([]);
  readonly offsets = computed(() => columnOffsets(this.widths.value));
  /** The position of the content at the upper left corner, and the size of the visible part. */
  readonly view = signal({ top: 0, left: 0, width: 0, height: 0 });
  readonly active = signal<Position>({ row: 0, column: 0 });
  /** Beginning of the selection; it goes to the active cell. */
  readonly anchor = signal<Position>({ row: 0, column: 0 });
  /** True if the whole value of the active cell shows beside the grid. */
  readonly isViewing = signal(false);
  /** Why no row may be read any more, such as access that has ended. */
  readonly closed = signal<Error | undefined>(undefined);
  readonly #widthsByHand = new Set<number>();
  #hasWidths = false;

  constructor(result: RowsResult, type?: DataSourceType) {
    this.result = result;
    this.type = type;
    this.columns = result.detail.columns;
    this.count.value = result.detail.numRows;
    const params = { query: result.queryId, resultIndex: String(result.ordinalPosition) };
    this.pages = new RowPages({
      columns: this.columns.length,
      count: result.detail.numRows,
      read: (seek, limit, signal) =>
        call('listMyQueryRows', { params, query: { seek: String(seek), limit: String(limit) } }, signal),
      onChange: () => {
        this.#changed();
      },
    });
    this.arrangement = new Arrangement(this.columns, (span, signal) => this.load(span, signal), this.count);
    this.widths.value = columnWidths(this.columns, []);
  }

  /** Number of rows in the grid, after the filter. */
  readonly shownCount = computed(() => this.arrangement.shown.value?.indexes.length ?? this.count.value);

  readonly rowNumberWidth = computed(() => 26 + 8 * String(Math.max(99, this.count.value)).length);

  readonly scale = computed(
    () => new ScrollScale(this.shownCount.value * rowHeight, Math.max(0, this.view.value.height - headerHeight)),
  );

  readonly rows = computed((): Span => {
    const { top, height } = this.view.value;
    return visibleRows(top, height - headerHeight, { height: rowHeight, count: this.shownCount.value });
  });

  readonly visibleColumns = computed((): Span => {
    const { left, width } = this.view.value;
    return visibleColumns(this.offsets.value, left, Math.max(0, width - this.rowNumberWidth.value));
  });

  readonly selection = computed((): Area => areaBetween(this.anchor.value, this.active.value));

  /** A row by its place in the grid, if it was read. */
  rowAt(place: number): Row | undefined {
    const shown = this.arrangement.shown.value;
    if (shown === undefined) return this.pages.get(place);
    return shown.rows[shown.indexes[place] ?? -1];
  }

  /** The number of a row in the result, from 1. */
  rowNumber(place: number): number {
    return (this.arrangement.shown.value?.indexes[place] ?? place) + 1;
  }

  /** More rows have come. */
  grow(count: number): void {
    this.pages.grow(count);
    this.count.value = count;
  }

  /** Reads the rows that can be seen, and some around them. */
  wantRows(): void {
    if (this.arrangement.shown.value !== undefined || this.closed.value !== undefined) return;
    const { first, end } = this.rows.value;
    if (end > first) void this.pages.want({ first, end: Math.min(this.count.value, end + 10) });
  }

  retry(): void {
    this.pages.retry();
    this.closed.value = undefined;
    this.version.value += 1;
    this.wantRows();
  }

  /** Rows by their places in the grid. @throws Problem, Unreachable */
  async rowsAt({ first, end }: Span, signal: AbortSignal): Promise<Row[]> {
    const shown = this.arrangement.shown.value;
    if (shown === undefined) return this.load({ first, end }, signal);
    return shown.indexes.slice(first, end).flatMap((index) => (shown.rows[index] ? [shown.rows[index]] : []));
  }

  /** @throws Problem, Unreachable */
  async load(span: Span, signal: AbortSignal): Promise<Row[]> {
    try {
      return await this.pages.load(span, signal);
    } catch (error) {
      this.#closeBy(error);
      throw error;
    }
  }

  /** Goes to a cell. @param how `isExtending` keeps where the selection began */
  go(to: Position, { isExtending = false } = {}): void {
    const position = clamp(to, { rows: this.shownCount.value, columns: this.columns.length });
    batch(() => {
      this.active.value = position;
      if (!isExtending) this.anchor.value = position;
    });
  }

  select(anchor: Position, active: Position): void {
    batch(() => {
      this.anchor.value = anchor;
      this.active.value = active;
    });
  }

  /** The position that shows a cell, as near as possible to the present one. */
  viewOf({ row, column }: Position): { top: number; left: number } {
    const { top, left, width, height } = this.view.value;
    const offsets = this.offsets.value;
    const [start = 0, end = 0] = [offsets[column], offsets[column + 1]];
    const room = width - this.rowNumberWidth.value;
    const wantedTop = row === -1 ? top : into(top, row * rowHeight, (row + 1) * rowHeight, height - headerHeight);
    return { top: this.scale.value.clamp(wantedTop), left: Math.max(0, into(left, start, end, room)) };
  }

  /** @param width in pixels */
  resize(column: number, width: number): void {
    this.#widthsByHand.add(column);
    this.widths.value = this.widths.value.with(column, Math.max(narrowest, Math.min(width, 2000)));
  }

  /** As wide as its content that can be seen. */
  fit(column: number): void {
    this.resize(column, columnWidth(this.columns, this.#seenRows(), column));
  }

  #seenRows(): Row[] {
    const { first, end } = this.rows.value;
    return Array.from({ length: Math.max(0, end - first) }, (_none, index) => this.rowAt(first + index) ?? []);
  }

  #changed(): void {
    this.#closeBy(this.pages.failedIn(this.rows.value)?.error);
    if (!this.#hasWidths && this.pages.get(0) !== undefined) {
      this.#hasWidths = true;
      const rows = Array.from({ length: 100 }, (_none, index) => this.pages.get(index) ?? []);
      const widths = columnWidths(
        this.columns,
        rows.filter((row) => row.length > 0),
      );
      this.widths.value = widths.map((width, index) =>
        this.#widthsByHand.has(index) ? (this.widths.value[index] ?? width) : width,
      );
    }
    this.version.value += 1;
  }

  /** Closes the grid when access ends: it no longer shows the rows. */
  #closeBy(error: unknown): void {
    if (!(error instanceof Problem) || (error.code !== 'access_ended' && error.code !== 'not_found')) return;
    this.pages.clear();
    this.arrangement.clear();
    this.closed.value = error;
  }
}

/** The position nearest to the present one that shows a stretch whole. */
function into(position: number, start: number, end: number, room: number): number {
  if (start < position) return start;
  return end > position + room ? Math.min(start, end - room) : position;
}
