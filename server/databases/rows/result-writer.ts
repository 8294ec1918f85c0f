import type { Column, CommandSink, Completion } from './results.ts';
import { chunkOf, clearRows, createRowBuffer, endRow, fits, isReusable, type RowBuffer } from './row-buffer.ts';

/** How long a row may wait for more rows before it goes to the sink. */
const longestWait = 100;

/** Lets a database's rows come or wait. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

/** Carries what a session reads to a sink, in order and one call at a time. */
export interface ResultWriter {
  /** Begins a result. */
  start: () => void;
  /** Describes the current result, or the next one where the current one is over. */
  columns: (columns: Column[]) => void;
  /** A buffer with room for a row of at most this many bytes. */
  bufferFor: (size: number) => RowBuffer;
  /** Says that the row in the buffer is whole and ends here. */
  rowDone: (buffer: RowBuffer, end: number) => void;
  completed: (completion: Completion) => void;
  /** Fails the current result, or the next one where the current one is over. */
  failed: (message: string) => number;
  /** Waits until the sink has taken everything; throws what the sink threw. */
  settled: () => Promise<void>;
  /** Whose rows to stop while the sink is behind. */
  control: (flow: Flow) => void;
  /** Whether the database has to wait because the sink is behind. */
  isPaused: () => boolean;
  /** Whether rows are no longer wanted. */
  discarding: boolean;
  /** Drops rows from now on, and lets them come: a database that cannot send does not notice that it is to stop. */
  discard: () => void;
}

/**
 * @param highWaterBytes rows that may wait for the sink before the database has to
 * @param onFailure called once when the sink fails
 */
export function createResultWriter(
  sink: CommandSink,
  highWaterBytes: number,
  onFailure: (error: unknown) => void,
): ResultWriter {
  let result = -1;
  let open = false;
  let waiting = 0;
  let paused = false;
  let broken: { error: unknown } | undefined;
  let flow: Flow = { pause: () => undefined, resume: () => undefined };
  let tail = Promise.resolve();
  let current = createRowBuffer(0);
  const spare: RowBuffer[] = [];
  let timer: NodeJS.Timeout | undefined;

  const enqueue = (size: number, call: () => void | Promise<void>): void => {
    waiting += size;
    tail = tail.then(async () => {
      try {
        if (broken === undefined) await call();
      } catch (error) {
        broken = { error };
        onFailure(error);
      }
      waiting -= size;
      release();
    });
    if (waiting > highWaterBytes && !paused && !writer.discarding) {
      paused = true;
      flow.pause();
    }
  };
  const release = (): void => {
    if (!paused || waiting > highWaterBytes / 2) return;
    paused = false;
    flow.resume();
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (current.count === 0) return;
    const [full, index] = [current, result];
    current = spare.pop() ?? createRowBuffer(0);
    // What it takes, not what is in it: thousands of results with one row each would take a buffer each.
    enqueue(full.bytes.length, async () => {
      await sink.rows(index, chunkOf(full));
      clearRows(full);
      if (isReusable(full)) spare.push(full);
    });
  };
  const start = (): void => {
    result += 1;
    open = true;
    const index = result;
    enqueue(0, () => sink.started(index));
  };
  const finish = (call: (index: number) => void | Promise<void>): number => {
    if (!open) start();
    flush();
    open = false;
    const index = result;
    enqueue(0, () => call(index));
    return index;
  };
  const writer: ResultWriter = {
    discarding: false,
    start,
    columns: (columns) => {
      if (!open) start();
      const index = result;
      enqueue(0, () => sink.columns(index, columns));
    },
    bufferFor: (size) => {
      if (fits(current, size)) return current;
      flush();
      if (!fits(current, size)) {
        spare.push(current);
        current = createRowBuffer(size + 1);
      }
      return current;
    },
    rowDone: (buffer, end) => {
      endRow(buffer, end);
      timer ??= setTimeout(flush, longestWait);
    },
    completed: (completion) => finish((index) => sink.completed(index, completion)),
    failed: (message) => finish((index) => sink.failed(index, message)),
    settled: async () => {
      await tail;
      if (broken !== undefined) throw broken.error;
    },
    control: (given) => {
      flow = given;
    },
    isPaused: () => paused,
    discard: () => {
      writer.discarding = true;
      paused = false;
      flow.resume();
    },
  };
  return writer;
}
