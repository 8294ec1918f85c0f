/** How often the selection goes on while the mouse is held beyond the edge, in milliseconds. */
const everyMs = 60;

interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

/** Extends a selection while the mouse is held. Beyond the edge it goes on without a move, so that the grid scrolls. */
export class Dragging {
  readonly #extendTo: (point: Point) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #point: Point | undefined;

  /** @param extendTo extends the selection to the cell under a point, and shows it */
  constructor(extendTo: (point: Point) => void) {
    this.#extendTo = extendTo;
  }

  /** Begins, and has the moves beyond the edge as well. */
  begin({ pointerId, clientX, clientY }: PointerEvent, grid: HTMLElement): void {
    grid.setPointerCapture(pointerId);
    this.#point = { clientX, clientY };
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

  end(): void {
    clearInterval(this.#timer);
    this.#point = undefined;
  }
}

function isBeyond({ clientX, clientY }: Point, grid: HTMLElement): boolean {
  const { left, right, top, bottom } = grid.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
