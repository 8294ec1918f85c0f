import type { Row } from './column.ts';
import type { Span } from './window.ts';

export type ReadRows = (seek: number, limit: number, signal: AbortSignal) => Promise<readonly Row[]>;

/** A page that could not be read. */
export interface FailedPage {
  readonly rows: Span;
  readonly error: Error;
}

interface Page {
  readonly rows: readonly Row[];
  /** In characters, with the overhead of each cell. */
  readonly size: number;
}

/** Characters of a result that are kept: some 24 MiB in the browser's memory, more for texts that are not Latin. */
const mostKept = 12_000_000;
const mostPageRows = 200;
const mostPageCells = 10_000;
/** Pages that are read in one request: the rows in view often lie on two. One answer for both is quicker than two. */
const mostPagesAtOnce = 2;
const mostPageSize = 2_000_000;
const sampleRows = 10;
const cellOverhead = 16;

/** The rows of a result, read a page at a time where the person looks. Pages that were not shown for long are dropped. */
export class RowPages {
  readonly #read: ReadRows;
  readonly #columns: number;
  readonly #onChange: () => void;
  /** The one that was used last is the last. */
  readonly #pages = new Map<number, Page>();
  readonly #failed = new Map<number, Error>();
  readonly #reading = new Map<number, AbortController>();
  #size = 0;
  #count: number;
  /** Of one page; known once some rows were read. */
  #pageRows: number | undefined;
  #sample: Promise<void> | undefined;
  #wanted: Span = { first: 0, end: 0 };

  /** @param count how many rows there are now */
  constructor(parts: { read: ReadRows; columns: number; count: number; onChange: () => void }) {
    this.#read = parts.read;
    this.#columns = Math.max(1, parts.columns);
    this.#count = parts.count;
    this.#onChange = parts.onChange;
  }

  /** More rows have come. */
  grow(count: number): void {
    this.#count = count;
  }

  /** A row, if it was read. */
  get(row: number): Row | undefined {
    const size = this.#pageRows ?? mostPageRows;
    return this.#pages.get(Math.floor(row / size))?.rows[row % size];
  }

  failedIn({ first, end }: Span): FailedPage | undefined {
    for (const index of this.#pagesOf({ first, end })) {
      const error = this.#failed.get(index);
      if (error !== undefined) return { rows: this.#rowsOf(index), error };
    }
    return undefined;
  }

  /** Reads missing rows, and gives up other reads. Does not fail: `failedIn` names the failures. */
  async want(span: Span): Promise<void> {
    this.#wanted = span;
    if (this.#pageRows === undefined) {
      this.#sample ??= this.#takeSample();
      await this.#sample;
    }
    const wanted = this.#pagesOf(this.#wanted);
    const useful = new Set(wanted.map((index) => this.#reading.get(index)));
    for (const [index, controller] of this.#reading) {
      if (useful.has(controller)) continue;
      controller.abort();
      this.#reading.delete(index);
    }
    const missing = wanted.filter((index) => this.#isMissing(index));
    await Promise.all(runsOf(missing).map((run) => this.#readPages(run)));
  }

  /** Reads failed pages again when they are wanted next. */
  retry(): void {
    this.#failed.clear();
    this.#sample = undefined;
  }

  /**
   * Rows in order, read before or now. It stops at rows that are too large together.
   *
   * @throws what reading throws
   */
  async load({ first, end }: Span, signal: AbortSignal): Promise<Row[]> {
    const rows: Row[] = [];
    let size = 0;
    while (first + rows.length < Math.min(end, this.#count) && size < mostKept) {
      const at = first + rows.length;
      const kept = this.get(at);
      const more = kept === undefined ? await this.#loadFrom(at, end, signal) : [kept];
      if (more.length === 0) break;
      rows.push(...more);
      size += sizeOf(more);
    }
    return rows;
  }

  #loadFrom(at: number, end: number, signal: AbortSignal): Promise<readonly Row[]> {
    // A page is small enough for any rows, a few of them are quicker.
    const limit = Math.min(end - at, (this.#pageRows ?? sampleRows) * 5);
    return this.#read(at, limit, signal);
  }

  /** Drops all rows. */
  clear(): void {
    for (const controller of this.#reading.values()) controller.abort();
    this.#reading.clear();
    this.#pages.clear();
    this.#failed.clear();
    this.#size = 0;
  }

  /** Decides the number of rows in a page by the size of the first rows. */
  async #takeSample(): Promise<void> {
    try {
      const rows = await this.#read(0, sampleRows, new AbortController().signal);
      const fit = Math.floor((mostPageSize * rows.length) / sizeOf(rows));
      this.#pageRows = Math.max(1, Math.min(mostPageRows, Math.floor(mostPageCells / this.#columns), fit));
    } catch (error) {
      for (const index of this.#pagesOf(this.#wanted)) this.#failed.set(index, asError(error));
      this.#onChange();
    }
  }

  #isMissing(index: number): boolean {
    if (this.#failed.has(index) || this.#reading.has(index)) return false;
    const page = this.#pages.get(index);
    if (page === undefined) return true;
    this.#pages.delete(index);
    this.#pages.set(index, page);
    const { first, end } = this.#rowsOf(index);
    return page.rows.length < end - first;
  }

  /** @param indexes of pages that follow one another */
  async #readPages(indexes: readonly number[]): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    for (const index of indexes) this.#reading.set(index, controller);
    const spans = indexes.map((index) => this.#rowsOf(index));
    const [from, to] = [spans[0]?.first ?? 0, spans.at(-1)?.end ?? 0];
    try {
      const rows = await this.#read(from, to - from, signal);
      if (signal.aborted) return;
      for (const [at, index] of indexes.entries()) {
        const { first = 0, end = 0 } = spans[at] ?? {};
        this.#keep(index, rows.slice(first - from, end - from));
      }
    } catch (error) {
      if (signal.aborted) return;
      for (const index of indexes) this.#failed.set(index, asError(error));
    }
    for (const index of indexes) this.#reading.delete(index);
    this.#onChange();
  }

  #keep(index: number, rows: readonly Row[]): void {
    this.#drop(index);
    const size = sizeOf(rows);
    this.#pages.set(index, { rows, size });
    this.#size += size;
    for (const oldest of this.#pages.keys()) {
      if (this.#size <= mostKept || oldest === index) break;
      this.#drop(oldest);
    }
  }

  #drop(index: number): void {
    this.#size -= this.#pages.get(index)?.size ?? 0;
    this.#pages.delete(index);
  }

  #pagesOf({ first, end }: Span): number[] {
    if (end <= first) return [];
    const size = this.#pageRows ?? mostPageRows;
    const [from, to] = [Math.floor(first / size), Math.floor((end - 1) / size)];
    return Array.from({ length: to - from + 1 }, (_none, index) => from + index);
  }

  #rowsOf(index: number): Span {
    const size = this.#pageRows ?? mostPageRows;
    return { first: index * size, end: Math.min((index + 1) * size, this.#count) };
  }
}

/** Indexes in order, those together that one answer can give. */
function runsOf(indexes: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last.length < mostPagesAtOnce && last.at(-1) === index - 1) last.push(index);
    else runs.push([index]);
  }
  return runs;
}

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => row.reduce((size, cell) => size + cellOverhead + (cell?.length ?? 0), sum), 1);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
