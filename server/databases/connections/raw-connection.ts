import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { settleWithin } from '../deadline.ts';
import type { Flow } from '../rows/result-writer.ts';

/** Interval at which a quiet connection is probed, in milliseconds. */
export const keepAliveMs = 30_000;

/** Time that a server may take to close a connection, in milliseconds. */
const goodbyeMs = 250;

/** A connection that has logged in. Disposing of it closes it at once. */
export interface LoggedIn extends Disposable {
  readonly socket: Socket;
  /** The socket, or TLS on top of it. */
  readonly stream: Duplex;
}

/** Says goodbye, and gives the server a moment to close the connection: it counts those that break off. */
export async function leave(stream: Duplex, goodbye: Buffer): Promise<void> {
  const closed = once(stream, 'close');
  stream.end(goodbye);
  await settleWithin(goodbyeMs, closed);
}

/** A connection whose bytes only the service's own reader gets. */
export interface RawConnection extends Flow {
  destroy: () => void;
}

/**
 * Takes a connection over from whoever logged in: only `read` gets its bytes from now on.
 *
 * @param stream the socket, or TLS on top of it
 * @param read gets the bytes; an error that it throws ends the connection
 * @param end gets the reason when the connection ends, perhaps more than once; it destroys the stream
 */
export function takeOverConnection(
  stream: Duplex,
  read: (chunk: Buffer) => void,
  end: (reason: Error) => void,
): RawConnection {
  stream.removeAllListeners('data');
  stream.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  });
  stream.on('error', end);
  stream.on('close', () => {
    end(new Error('the server closed the connection'));
  });
  return {
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    destroy: () => {
      end(new Error('the connection was closed'));
    },
  };
}
