import { type GridModel, headerHeight, rowHeight } from './grid-model.ts';
import type { Position } from './rows/selection.ts';
import { columnAt } from './rows/window.ts';

/** Milliseconds after the last scrolling at which the scrollbar goes to its true place. */
const settlingTime = 150;

/** Keeps the model and the browser's scroll position in step. */
export class Scroller {
  readonly #model: GridModel;
  readonly #element: HTMLElement;
  /** The browser's last scroll position. */
  #last = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(model: GridModel, element: HTMLElement) {
    this.#model = model;
    this.#element = element;
  }

  /** Follows the size of the element. @returns a function that ends it */
  observe(): () => void {
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = this.#element;
      this.#model.view.value = { ...this.#model.view.value, width, height };
      this.#model.wantRows();
    });
    observer.observe(this.#element);
    return () => {
      observer.disconnect();
      clearTimeout(this.#timer);
    };
  }

  /** The browser has scrolled. */
  scrolled(): void {
    const { scrollTop, scrollLeft } = this.#element;
    const { view, scale } = this.#model;
    const top = scale.value.follow(view.value.top, this.#last, scrollTop);
    this.#last = scrollTop;
    view.value = { ...view.value, top, left: scrollLeft };
    this.#model.wantRows();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Where it differs, the browser has scrolled on and says so with its next frame: settling would undo that.
      if (this.#element.scrollTop === this.#last) this.#settle();
    }, settlingTime);
  }

  /** Shows a cell. */
  show(position: Position): void {
    this.showAt(this.#model.viewOf(position));
  }

  /** @param target in pixels of the content */
  showAt({ top, left }: { top: number; left: number }): void {
    this.#element.scrollLeft = left;
    this.#model.view.value = { ...this.#model.view.value, top, left: this.#element.scrollLeft };
    this.#settle();
    this.#model.wantRows();
  }

  /** The cell under a point of the window. Column -1 is that of the row numbers. */
  cellAt(x: number, y: number): Position {
    const box = this.#element.getBoundingClientRect();
    const { view, offsets, rowNumberWidth } = this.#model;
    const [across, down] = [x - box.left - rowNumberWidth.value, y - box.top - headerHeight];
    const row = down < 0 ? -1 : Math.floor((down + view.value.top) / rowHeight);
    return { row, column: across < 0 ? -1 : columnAt(offsets.value, across + view.value.left) };
  }

  #settle(): void {
    this.#element.scrollTop = this.#model.scale.value.toScroll(this.#model.view.value.top);
    this.#last = this.#element.scrollTop;
  }
}
