import type { Socket } from 'node:net';
import { StopRequests } from '../connections/stop-requests.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { converse } from './conversation.ts';
import { logIn } from './log-in.ts';

/**
 * Stops the present work of a session, on another connection to the same address. Without more words it ends the statement and
 * not the session, so that a commit in progress is still answered.
 *
 * @param socket of the session's connection
 * @param id of the session in the server
 * @returns what sends one request, and what gives up those in progress
 */
export function killer(
  uri: Admitted,
  socket: Socket,
  id: number,
): { kill: (what?: 'QUERY' | 'CONNECTION') => Promise<void>; close: () => void } {
  const there = atSameAddress(uri, socket);
  const requests = new StopRequests();
  const kill = async (what: 'QUERY' | 'CONNECTION' = 'QUERY'): Promise<void> => {
    // One at a time: a log-in takes longer than the pause between two requests may be.
    if (requests.areUnderWay) return;
    await requests.send(async (signal) => {
      using connection = await logIn(there, signal);
      await converse(connection).ask(`KILL ${what} ${id}`);
    });
  };
  return { kill, close: requests.close };
}
