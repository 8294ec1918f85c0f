import type { Duplex } from 'node:stream';
import type { Flow } from '../rows/result-writer.ts';

/** A connection that was taken over from the driver that has logged in with it. */
export interface RawConnection extends Flow {
  destroy: () => void;
}

/**
 * Takes a connection over: nobody reads it from now on but the one who does so here.
 *
 * @param stream the socket, or TLS on top of it
 * @param read takes what comes; what it throws ends the connection
 * @param end is told why the connection has ended, perhaps more than once; it destroys the stream
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
