/** Some rows or columns in a row: the first, and the one after the last. */
export interface Span {
  readonly first: number;
  readonly end: number;
}

/** Browsers cannot make an element much higher than this; beyond it, the scrollbar is scaled. */
const highest = 8_000_000;

/** Returns the offset of each column in pixels; the last number is the width of all. */
export function columnOffsets(widths: readonly number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width);
  return offsets;
}

/** The columns that can be seen. @param offsets of `columnOffsets` */
export function visibleColumns(offsets: readonly number[], left: number, width: number): Span {
  const count = offsets.length - 1;
  const first = Math.max(0, lastAtMost(offsets, left));
  let end = first;
  while (end < count && (offsets[end] ?? 0) < left + width) end += 1;
  return { first: Math.min(first, count), end };
}

/** The column at a position. */
export function columnAt(offsets: readonly number[], left: number): number {
  return Math.max(0, Math.min(lastAtMost(offsets, left), offsets.length - 2));
}

/** The rows that can be seen, with one more on either side. */
export function visibleRows(top: number, height: number, rows: { height: number; count: number }): Span {
  const first = Math.max(0, Math.floor(top / rows.height) - 1);
  const end = Math.min(rows.count, Math.ceil((top + height) / rows.height) + 1);
  return { first: Math.min(first, rows.count), end: Math.max(0, end) };
}

/** The index of the last number that is at most the wanted one, in ascending numbers; -1 if none is. */
function lastAtMost(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A scrollbar of content that may be higher than a browser can scroll. All in pixels. */
export class ScrollScale {
  readonly content: number;
  readonly viewport: number;

  constructor(content: number, viewport: number) {
    this.content = content;
    this.viewport = viewport;
  }

  /** Height of the element that the browser scrolls. */
  get height(): number {
    return Math.min(this.content, highest);
  }

  /** The largest position in the content. */
  get end(): number {
    return Math.max(0, this.content - this.viewport);
  }

  clamp(top: number): number {
    return Math.min(Math.max(0, top), this.end);
  }

  /** Converts a position in the content into one of the scrollbar. */
  toScroll(top: number): number {
    return this.end === 0 ? 0 : (this.clamp(top) / this.end) * this.#scrollEnd;
  }

  /** The position in the content for where the scrollbar is. */
  toContent(scroll: number): number {
    return this.#scrollEnd === 0 ? 0 : this.clamp((scroll / this.#scrollEnd) * this.end);
  }

  /**
   * The position after the browser has scrolled. Where the scrollbar is scaled, a short way still moves the content by as many
   * pixels: a wheel would skip rows otherwise.
   *
   * @param top the position before
   */
  follow(top: number, from: number, to: number): number {
    if (to === from) return this.clamp(top);
    const isScaled = this.content > this.height;
    const isShort = Math.abs(to - from) < this.viewport;
    const isAtAnEnd = to <= 0 || to >= this.#scrollEnd - 1;
    return isScaled && isShort && !isAtAnEnd ? this.clamp(top + to - from) : this.toContent(to);
  }

  get #scrollEnd(): number {
    return Math.max(0, this.height - this.viewport);
  }
}
