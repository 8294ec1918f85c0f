import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';

/** A connection to a database that is kept to end sessions by. */
export interface Spare {
  /** Ends the session that has this number at the server. */
  readonly end: (id: number) => Promise<unknown>;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<unknown>;
  readonly close: () => void;
}

/**
 * Makes a spare connection. Many sessions may end at once, and a connection takes one request at a time.
 *
 * @param end sends the request to end a session
 */
export function spareOn(stream: Duplex, goodbye: Buffer, end: (id: number) => Promise<unknown>): Spare {
  let last: Promise<unknown> = Promise.resolve();
  return {
    end: (id) => {
      last = last.catch(() => undefined).then(() => end(id));
      return last;
    },
    closed: new Promise((resolve) => stream.once('close', resolve)),
    close: () => stream.end(goodbye),
  };
}

/** With how many sessions of one account it keeps one. */
const many = 4;

/** After how long it tries again at first, and at most: each attempt counts as a failed log-in where the account is locked. */
const [againMs, longestMs] = [1000, 30_000];

type Connected = Pick<Socket, 'remoteAddress' | 'remotePort'> & {
  readonly once: (event: 'close', listener: () => void) => unknown;
};

/** A session of the account. */
interface Member {
  readonly database: string;
  /** Connects once more. */
  readonly open: () => Promise<Spare>;
}

/** The sessions of one account at one server. */
class Share {
  readonly #members = new Set<Member>();
  #kept: (Spare & Pick<Member, 'database'>) | undefined;
  #isKeeping = false;

  get spare(): Spare | undefined {
    return this.#kept;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  add(member: Member): void {
    this.#members.add(member);
    if (this.#members.size >= many && !this.#isKeeping) void this.#keep();
  }

  delete(member: Member): void {
    this.#members.delete(member);
    this.#closeUnused();
  }

  /** Closes the spare connection if no session is left in its database: it would be in the way of whoever deletes that. */
  #closeUnused(): void {
    const { database } = this.#kept ?? {};
    if (!this.#members.values().some((member) => member.database === database)) this.#kept?.close();
  }

  async #keep(): Promise<void> {
    this.#isKeeping = true;
    for (let pauseMs = againMs; this.#members.size >= many; pauseMs = Math.min(2 * pauseMs, longestMs)) {
      // The newest: an earlier one may lead to a database that is gone.
      const member = [...this.#members].at(-1);
      const spare = await member?.open().catch(() => undefined);
      if (member !== undefined && spare !== undefined) {
        this.#kept = { ...spare, database: member.database };
        this.#closeUnused();
        await spare.closed;
        this.#kept = undefined;
        pauseMs = againMs;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
    this.#isKeeping = false;
  }
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
  join(
    socket: Connected,
    { type, user, password, database }: Pick<ConnectionUri, 'type' | 'user' | 'password' | 'database'>,
    open: () => Promise<Spare>,
  ): () => Spare | undefined {
    const key = JSON.stringify([type, socket.remoteAddress, socket.remotePort, user, password]);
    const share = this.#shares.get(key) ?? new Share();
    this.#shares.set(key, share);
    const member = { database, open };
    share.add(member);
    socket.once('close', () => {
      share.delete(member);
      if (share.isEmpty && this.#shares.get(key) === share) this.#shares.delete(key);
    });
    return () => share.spare;
  }
}

/**
 * Ends a session of the server by the spare connection, and by another one where there is none, or where it has not helped: it may
 * be dead without knowing it. When many sessions end, a log-in for each would hold all of them up.
 *
 * @param id of the session at the server
 * @param isLate whether the spare connection has had its time
 */
export function stopBy(
  spare: Spare | undefined,
  id: number,
  { isLate, other }: { isLate: boolean; other: () => Promise<unknown> },
): Promise<unknown> {
  return Promise.allSettled([spare?.end(id), spare === undefined || isLate ? other() : undefined]);
}
