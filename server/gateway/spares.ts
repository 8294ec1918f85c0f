import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';

/** A connection to a database that is kept to end sessions by. */
export interface Spare {
  /** Ends the session that has this number at the server. */
  readonly end: (id: number) => Promise<unknown>;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<unknown>;
  readonly close: () => void;
}

/** With how many sessions of one account it keeps one, and after how long it tries again, in milliseconds. */
const [many, againMs] = [4, 1000];

/** The sessions of one account at one server. */
interface Share {
  sessions: number;
  spare: Spare | undefined;
  /** Whether it is kept open. */
  isKept: boolean;
}

/**
 * A spare connection for each account of a database that has some sessions through this process. A statement is ended by another
 * connection, and a server that is full lets none in. So people could fill it, and their statements would outlive their access.
 */
export class Spares {
  readonly #shares = new Map<string, Share>();

  /**
   * Counts a session, until its socket closes.
   *
   * @param socket that is connected
   * @param open connects once more, to the same server; its errors only mean that there is no spare connection for now
   * @returns what gives the spare connection, if there is one
   */
  join(socket: Socket, uri: ConnectionUri, open: () => Promise<Spare>): () => Spare | undefined {
    const { type, user, password } = uri;
    const key = JSON.stringify([type, socket.remoteAddress, socket.remotePort, user, password]);
    const share = this.#shares.get(key) ?? { sessions: 0, spare: undefined, isKept: false };
    this.#shares.set(key, share);
    share.sessions += 1;
    socket.once('close', () => {
      share.sessions -= 1;
      if (share.sessions > 0) return;
      this.#shares.delete(key);
      share.spare?.close();
    });
    if (share.sessions >= many && !share.isKept) void keep(share, open);
    return () => share.spare;
  }
}

async function keep(share: Share, open: () => Promise<Spare>): Promise<void> {
  share.isKept = true;
  while (share.sessions >= many) {
    share.spare = await open().catch(() => undefined);
    if (share.sessions === 0) share.spare?.close();
    await share.spare?.closed;
    share.spare = undefined;
    await sleep(againMs, undefined, { ref: false });
  }
  share.isKept = false;
}
