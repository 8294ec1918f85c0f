import type { ServerResponse } from 'node:http';
import { Refusal } from '../../refusal.ts';
import { tooManyRequests } from './rate-limits.ts';

/** Measures of the work under way, by which another request is taken or refused. */
export interface Load {
  readonly inFlight: () => number;
  /** Delay of the event loop at the moment, in milliseconds. */
  readonly eventLoopDelay: () => number;
}

/** Fewer requests than this do not make the event loop late, so refusing one would not help. */
const fewRequests = 64;

/** Bytes of unread answers: of all clients, and of one address. */
export const maxUnread = { total: 256 * 1024 * 1024, address: 64 * 1024 * 1024 };

/** The share of a limit that one address may have: enough for any one client, and never all of it. */
export function shareOf(limit: number): number {
  return Math.max(16, Math.ceil(limit / 4));
}

/** True if all requests are refused at the moment. */
export function isOverloaded(
  { inFlight, eventLoopDelay }: Load,
  limits: { readonly maxInFlight: number; readonly maxEventLoopDelay: number },
): boolean {
  return inFlight() > limits.maxInFlight || (inFlight() > fewRequests && eventLoopDelay() > limits.maxEventLoopDelay);
}

/**
 * Refuses the requests of an address that has more than its share of the service already.
 *
 * @throws Refusal too_many_requests
 */
export function refuseShare({ inFlight, unread }: Share, maxInFlight: number, refused: () => void): void {
  if (inFlight <= shareOf(maxInFlight) && unread <= maxUnread.address) return;
  refused();
  const what = inFlight > shareOf(maxInFlight) ? 'requests at a time' : 'answers that it does not read';
  throw tooManyRequests(`this address has too many ${what}`, 1);
}

/**
 * Refuses a request that would only make all others wait longer. A refusal costs a fraction of what the request would.
 *
 * @param refused is called for each that is refused
 * @throws Refusal unavailable
 */
export function refuseOverload(
  load: Load,
  limits: { readonly maxInFlight: number; readonly maxEventLoopDelay: number },
  refused: () => void,
): void {
  if (!isOverloaded(load, limits)) return;
  refused();
  throw new Refusal('unavailable', 'the service has more requests than it can answer; nothing of this one was done', {
    headers: { 'retry-after': '1' },
  });
}

/** Share of the service that the requests of one client address take. */
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

/** Counts what each client network uses of the service: slots for requests in progress, and room for unread answers. */
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

  /** Frees the slot: the rest is up to the client. @param bytes that the answer holds until it is read */
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

  /** The answer was read, or the client is gone. */
  end(response: Shared): void {
    this.answered(response, 0);
    const hold = response[held];
    if (hold === undefined) return;
    response[held] = undefined;
    const { share, network, unread } = hold;
    if (unread > 0) {
      share.unread -= unread;
      this.#unread -= unread;
      this.#waiting.delete(response);
    }
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
