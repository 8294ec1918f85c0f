import type { Socket } from 'node:net';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { converse } from './conversation.ts';
import { logIn } from './log-in.ts';

/** How long a request may take, in milliseconds. */
const requestTimeout = 1000;

export interface Killer {
  /** Sends one request, and waits until the server has acted on it or cannot be reached. @param what default: the statement */
  kill: (what?: 'QUERY' | 'CONNECTION') => Promise<void>;
  /** Gives up requests in progress. */
  close: () => void;
}

/**
 * Stops the present work of a session, on another connection to the same address. Without more words it ends the statement and
 * not the session, so that a commit in progress is still answered.
 *
 * @param socket of the session's connection
 * @param id of the session in the server
 */
export function killer(uri: Admitted, socket: Socket, id: number): Killer {
  const there = atSameAddress(uri, socket);
  const open = new Set<AbortController>();
  const kill = async (what: 'QUERY' | 'CONNECTION' = 'QUERY'): Promise<void> => {
    // One at a time: a log-in takes longer than the pause between two requests may be.
    if (open.size > 0) return;
    const givenUp = new AbortController();
    open.add(givenUp);
    try {
      using connection = await logIn(there, AbortSignal.any([givenUp.signal, AbortSignal.timeout(requestTimeout)]));
      await converse(connection).ask(`KILL ${what} ${id}`);
    } catch {
      // The caller sees whether the session stops, and repeats the request or closes the connection.
    } finally {
      open.delete(givenUp);
    }
  };
  const close = (): void => {
    for (const request of open) request.abort(new Error('given up'));
  };
  return { kill, close };
}
