import type { ServerResponse } from 'node:http';

/** What the requests of one client address take of the service. */
export interface Share {
  /** Requests that are being worked on. */
  inFlight: number;
  /** Bytes of answers that were made and not taken. */
  unread: number;
}

type Shared = ServerResponse & {
  [held]?: { share: Share; network: string; works: boolean; unread: number } | undefined;
};
const held = Symbol('held');

/** Smaller answers are bounded by the number of connections, each of which has one. */
const smallAnswer = 4096;

/** Says what each client address has of the service: slots for the requests that are worked on, and room for unread answers. */
export class Shares {
  inFlight = 0;
  #unread = 0;
  readonly #maxUnread: number;
  readonly #networks = new Map<string, Share>();
  /** The one that has waited longest comes first. */
  readonly #waiting = new Set<Shared>();

  constructor(maxUnread: number) {
    this.#maxUnread = maxUnread;
  }

  /** Gives a request its slot. @returns what its address has, with it */
  begin(response: Shared, network: string): Share {
    let share = this.#networks.get(network);
    if (share === undefined) this.#networks.set(network, (share = { inFlight: 0, unread: 0 }));
    response[held] = { share, network, works: true, unread: 0 };
    share.inFlight += 1;
    this.inFlight += 1;
    return share;
  }

  /** Takes the slot back: what is left is for the client to read. @param bytes that the answer holds until then */
  answered(response: Shared, bytes: number): void {
    const hold = response[held];
    if (hold?.works !== true) return;
    hold.works = false;
    hold.share.inFlight -= 1;
    this.inFlight -= 1;
    if (bytes <= smallAnswer) return;
    hold.unread = bytes;
    hold.share.unread += bytes;
    this.#unread += bytes;
    this.#waiting.add(response);
    this.#evict();
  }

  /** The answer was taken, or its client is gone. */
  end(response: Shared): void {
    this.answered(response, 0);
    const hold = response[held];
    if (hold === undefined) return;
    response[held] = undefined;
    const { share, network, unread } = hold;
    share.unread -= unread;
    this.#unread -= unread;
    this.#waiting.delete(response);
    const isIdle = share.inFlight === 0 && share.unread === 0;
    if (isIdle && this.#networks.get(network) === share) this.#networks.delete(network);
  }

  #evict(): void {
    for (const oldest of this.#waiting) {
      if (this.#unread <= this.#maxUnread) return;
      this.end(oldest);
      oldest.destroy();
    }
  }
}
