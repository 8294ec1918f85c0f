import { Refusal } from '../refusal.ts';
import type { Share } from './shares.ts';
import { tooManyRequests } from './too-many-requests.ts';

/** What decides whether another request is taken. */
export interface Load {
  readonly inFlight: () => number;
  /** How late the event loop is at the moment, in milliseconds. */
  readonly eventLoopDelay: () => number;
}

/**
 * With fewer requests than this, it is not they that make the event loop late, and to refuse one would help nobody.
 */
const fewRequests = 64;

/** Bytes of unread answers: of all clients, and of one address. */
export const maxUnread = { total: 256 * 1024 * 1024, address: 64 * 1024 * 1024 };

/** What one address may have of a limit for all: enough for any one client, and never the whole of it. */
export function shareOf(limit: number): number {
  return Math.max(16, Math.ceil(limit / 4));
}

/** Whether requests are refused at the moment, whoever makes them. */
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
 * Refuses what would only make everybody wait longer. Costs the service a fraction of what the request would.
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
