import type { Duplex } from 'node:stream';
import type { Flow } from '../rows/result-writer.ts';

/** A connection that was taken over from the driver after it logged in. */
export interface RawConnection extends Flow {
  destroy: () => void;
}

/**
 * Takes a connection over from its driver: only `read` gets its bytes from now on.
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
