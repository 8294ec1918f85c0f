import type { Column, CommandSink, Completion } from './results.ts';
import { chunkOf, clearRows, createRowBuffer, endRow, fits, isReusable, type RowBuffer } from './row-buffer.ts';

/** Time that a row may wait for more rows before it goes to the sink, in milliseconds. */
const longestWait = 100;

/** Lets a database send rows, or makes it wait. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

/** Carries what a session reads to a sink, in order and one call at a time. Makes the database wait for a slow sink. */
export class ResultWriter {
  readonly #sink: CommandSink;
  readonly #highWaterBytes: number;
  readonly #onFailure: (error: unknown) => void;
  /** The number of the current result, and whether it is still open. */
  #result = -1;
  #open = false;
  /** Bytes that wait for the sink. */
  #waiting = 0;
  #paused = false;
  #discarding = false;
  #failure: { error: unknown } | undefined;
  #flow: Flow | undefined;
  /** Settles when the sink has taken everything so far; never rejects. */
  #tail = Promise.resolve();
  #buffer = createRowBuffer(0);
  readonly #spare: RowBuffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param highWaterBytes how many bytes of rows may wait for the sink before the database has to wait
   * @param onFailure called once, when the sink fails
   */
  constructor(sink: CommandSink, highWaterBytes: number, onFailure: (error: unknown) => void) {
    this.#sink = sink;
    this.#highWaterBytes = highWaterBytes;
    this.#onFailure = onFailure;
  }

  /** True if rows are dropped. */
  get discarding(): boolean {
    return this.#discarding;
  }

  /** True if the database has to wait because the sink is slow. */
  get isPaused(): boolean {
    return this.#paused;
  }

  /** Sets the connection to pause while the sink is slow. */
  control(flow: Flow): void {
    this.#flow = flow;
  }

  /** Begins a result. */
  start(): void {
    this.#result += 1;
    this.#open = true;
    const index = this.#result;
    this.#enqueue(0, () => this.#sink.started(index));
  }

  /** Describes the current result, or begins the next one if the current one has ended. */
  columns(columns: Column[]): void {
    if (!this.#open) this.start();
    const index = this.#result;
    this.#enqueue(0, () => this.#sink.columns(index, columns));
  }

  /** A buffer with room for a row of at most this many bytes. */
  bufferFor(size: number): RowBuffer {
    if (fits(this.#buffer, size)) return this.#buffer;
    this.#flush();
    if (!fits(this.#buffer, size)) {
      this.#spare.push(this.#buffer);
      this.#buffer = createRowBuffer(size + 1);
    }
    return this.#buffer;
  }

  /** Ends the row in the buffer here. */
  rowDone(buffer: RowBuffer, end: number): void {
    endRow(buffer, end);
    this.#timer ??= setTimeout(() => {
      this.#flush();
    }, longestWait);
  }

  completed(completion: Completion): void {
    this.#finish((index) => this.#sink.completed(index, completion));
  }

  /** Fails the current result, or the next one if the current one has ended. @returns its number */
  failed(message: string): number {
    return this.#finish((index) => this.#sink.failed(index, message));
  }

  /** Waits until the sink has taken everything. @throws what the sink threw */
  async settled(): Promise<void> {
    await this.#tail;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Drops rows from now on, but lets them come: a database that cannot send does not notice that it has to stop. */
  discard(): void {
    this.#discarding = true;
    this.#paused = false;
    this.#flow?.resume();
  }

  #finish(call: (index: number) => void | Promise<void>): number {
    if (!this.#open) this.start();
    this.#flush();
    this.#open = false;
    const index = this.#result;
    this.#enqueue(0, () => call(index));
    return index;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffer.count === 0) return;
    const [full, index] = [this.#buffer, this.#result];
    this.#buffer = this.#spare.pop() ?? createRowBuffer(0);
    // The size of the buffer, not of its content: thousands of results with one row each would take a buffer each.
    this.#enqueue(full.bytes.length, async () => {
      await this.#sink.rows(index, chunkOf(full));
      clearRows(full);
      if (isReusable(full)) this.#spare.push(full);
    });
  }

  #enqueue(size: number, call: () => void | Promise<void>): void {
    this.#waiting += size;
    this.#tail = this.#tail.then(() => this.#call(size, call));
    if (this.#waiting > this.#highWaterBytes && !this.#paused && !this.#discarding) {
      this.#paused = true;
      this.#flow?.pause();
    }
  }

  async #call(size: number, call: () => void | Promise<void>): Promise<void> {
    try {
      if (this.#failure === undefined) await call();
    } catch (error) {
      this.#failure = { error };
      this.#onFailure(error);
    }
    this.#waiting -= size;
    if (!this.#paused || this.#waiting > this.#highWaterBytes / 2) return;
    this.#paused = false;
    this.#flow?.resume();
  }
}
