/** Runs several workers on the keys of a queue. */

import type { WorkQueue } from './work-queue.ts';

export interface WorkerOptions {
  readonly queue: WorkQueue;
  readonly count: number;
  /** Works on one key. If it throws, the key is retried later. */
  readonly work: (key: string) => Promise<void>;
  /** Called for each failure, with the time after which it is tried again. */
  readonly onFailure: (key: string, error: Error, retryInMs: number) => void;
  /** The least time that a failure asks to wait, in milliseconds. */
  readonly atLeast?: (error: Error) => number;
}

/** Works until the queue is closed, and returns once nothing is in flight any more. */
export async function runWorkers({ queue, count, work, onFailure, atLeast = () => 0 }: WorkerOptions): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      try {
        await work(key);
        queue.forget(key);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        onFailure(key, error, queue.retry(key, atLeast(error)));
      } finally {
        queue.done(key);
      }
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
}
