/** Reads named pipes without waiting in a system call that nothing can interrupt. */

import { closeSync, constants, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** No program has opened the pipe for writing. */
export class PipeSilentError extends Error {
  override name = 'PipeSilentError';
  readonly code = 'ERR_PIPE_SILENT';
  readonly seconds: number;

  constructor(waitMs: number) {
    super('no one has opened the pipe for writing');
    this.seconds = waitMs / 1000;
  }
}

/** Milliseconds that a writer may take to open a pipe. Once it has, it may take as long as it likes, as with standard input. */
const defaultWaitMs = 30_000;

/**
 * Reads a named pipe, or a shell's `<(…)`, until its writers have closed it.
 *
 * @throws PipeSilentError if no program opens it in time
 */
export async function* readPipe(path: string, waitMs = defaultWaitMs): AsyncGenerator<Uint8Array> {
  const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const deadline = performance.now() + waitMs;
  let hasWriter = false;
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(65_536);
      const count = readNow(pipe, chunk);
      if (count === 0 && hasWriter) return;
      if (count === 0 && performance.now() > deadline) throw new PipeSilentError(waitMs);
      hasWriter ||= count !== 0;
      if (count !== undefined && count > 0) yield chunk.subarray(0, count);
      else await sleep(pauseMs);
    }
  } finally {
    closeSync(pipe);
  }
}

const pauseMs = 5;

/** Bytes that were read: 0 if no program has the pipe open for writing, undefined if a program has it open and is silent. */
function readNow(pipe: number, chunk: Buffer): number | undefined {
  try {
    return readSync(pipe, chunk, 0, chunk.length, null);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
