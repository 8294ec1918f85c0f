import type { Span } from './window.ts';

/** The keys of the rows in the document. After a jump, the rows take the elements of those that were there: only texts change. */
export class RowKeys {
  #shown: Span = { first: 0, end: 0 };
  /** The row whose key is 0. */
  #base = 0;

  /** @param rows that can be seen now */
  show(rows: Span): void {
    const isJump = rows.first >= this.#shown.end || rows.end <= this.#shown.first;
    if (isJump) this.#base = rows.first;
    this.#shown = rows;
  }

  /** The active row may be out of sight. */
  of(row: number): number | 'active' {
    return row >= this.#shown.first && row < this.#shown.end ? row - this.#base : 'active';
  }
}
