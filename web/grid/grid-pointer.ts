import type { GridModel } from './grid-model.ts';
import type { Scroller } from './scroller.ts';

/** Milliseconds after which the selection goes on while the mouse is held beyond the edge. */
const everyMs = 60;

interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

/** Handles mouse and fingers on the cells: goes to a cell, extends the selection, or opens a value. */
export class GridPointer {
  readonly #model: GridModel;
  readonly #scroller: Scroller;
  /** Called before another cell becomes active, which is to get the focus. */
  readonly #takeFocus: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Last place of the mouse, while it is held. */
  #point: Point | undefined;

  constructor(model: GridModel, scroller: Scroller, takeFocus: () => void) {
    this.#model = model;
    this.#scroller = scroller;
    this.#takeFocus = takeFocus;
  }

  /** Goes to a cell and begins a selection. While the mouse is held beyond the edge, the selection goes on without a move. */
  press(event: PointerEvent, grid: HTMLElement): void {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !this.#goTo(event, event.shiftKey)) return;
    // So that moves beyond the edge arrive as well.
    grid.setPointerCapture(event.pointerId);
    this.#point = event;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.#point !== undefined && isBeyond(this.#point, grid)) this.#extendTo(this.#point);
    }, everyMs);
  }

  move({ clientX, clientY }: Point): void {
    if (this.#point === undefined) return;
    this.#point = { clientX, clientY };
    this.#extendTo(this.#point);
  }

  release(): void {
    clearInterval(this.#timer);
    this.#point = undefined;
  }

  /** A finger that scrolls does not select: a tap does. */
  tap(event: MouseEvent): void {
    if (event instanceof PointerEvent && event.pointerType !== 'mouse') this.#goTo(event, false);
  }

  /** Opens the value of a cell. */
  open({ clientX, clientY }: Point): void {
    const { row, column } = this.#scroller.cellAt(clientX, clientY);
    if (row >= 0 && column >= 0) this.#model.isViewing.value = true;
  }

  /** @returns whether there is a cell */
  #goTo({ clientX, clientY }: Point, isExtending: boolean): boolean {
    const model = this.#model;
    const cell = this.#scroller.cellAt(clientX, clientY);
    if (cell.row === -1 || cell.row >= model.shownCount.value) return false;
    this.#takeFocus();
    if (cell.column !== -1) model.go(cell, { isExtending });
    else {
      const row = isExtending ? model.anchor.value.row : cell.row;
      model.select({ row, column: 0 }, { row: cell.row, column: model.columns.length - 1 });
    }
    return true;
  }

  #extendTo({ clientX, clientY }: Point): void {
    const { row, column } = this.#scroller.cellAt(clientX, clientY);
    this.#model.go({ row: Math.max(0, row), column }, { isExtending: true });
    this.#takeFocus();
    this.#scroller.show(this.#model.active.value);
  }
}

function isBeyond({ clientX, clientY }: Point, grid: HTMLElement): boolean {
  const { left, right, top, bottom } = grid.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
