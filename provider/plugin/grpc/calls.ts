import type { ServerHttp2Stream } from 'node:http2';

/** The calls that were read and have no answer yet. */
export interface Calls {
  readonly begin: (stream: ServerHttp2Stream) => void;
  /** Resolves as soon as there is none. */
  readonly answered: () => Promise<void>;
}

/** A call without an end, such as go-plugin's stream of its broker, is never read to its end and is none of them. */
export function trackCalls(): Calls {
  const open = new Set<ServerHttp2Stream>();
  let waiting: (() => void)[] = [];
  const tell = (): void => {
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    begin: (stream) => {
      open.add(stream);
      stream.on('close', () => {
        open.delete(stream);
        // A stream is closed just before its last frames are written.
        setImmediate(tell);
      });
    },
    answered: async () => {
      if (open.size === 0) return;
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
