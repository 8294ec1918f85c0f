import type { Duplex } from 'node:stream';

/** The other side left. Where that was a client, no one is there to be told why. */
export class ConnectionEndedError extends Error {
  override name = 'ConnectionEndedError';
  override message = 'Connection terminated unexpectedly';
}

/**
 * Reads exactly so many bytes, and leaves the rest where it is.
 *
 * @throws the signal's reason; ConnectionEndedError where the stream ends
 */
export function readExactly(stream: Duplex, count: number, signal: AbortSignal): Promise<Buffer> {
  // What is there already needs no listeners: adding and removing them takes longer than all else here.
  const ready = signal.aborted ? null : (stream.read(count) as Buffer | null);
  if (ready?.length === count) return Promise.resolve(ready);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // At once, before the promise settles: another event would take bytes that no one waits for.
  const stop = (): void => {
    stream.off('readable', attempt).off('end', attempt);
    signal.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    stop();
    reject(signal.reason as Error);
  };
  // One listener until all has come: each new one would get the same bytes again, and that would never end.
  const attempt = (): void => {
    // A stream of bytes gives bytes.
    const bytes = stream.read(count) as Buffer | null;
    if (bytes === null && !stream.readableEnded && !stream.destroyed) return;
    stop();
    if (bytes?.length === count) resolve(bytes);
    else reject(new ConnectionEndedError());
  };
  stream.on('readable', attempt).on('end', attempt);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  else attempt();
  return promise;
}
