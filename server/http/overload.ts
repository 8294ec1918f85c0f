import { Refusal } from '../refusal.ts';

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

/**
 * Refuses what would only make everybody wait longer. Costs the service a fraction of what the request would.
 *
 * @param refused is called for each that is refused
 * @throws Refusal unavailable
 */
export function refuseOverload(
  { inFlight, eventLoopDelay }: Load,
  limits: { readonly maxInFlight: number; readonly maxEventLoopDelay: number },
  refused: () => void,
): void {
  const isLate = inFlight() > fewRequests && eventLoopDelay() > limits.maxEventLoopDelay;
  if (!isLate && inFlight() <= limits.maxInFlight) return;
  refused();
  throw new Refusal('unavailable', 'the service has more requests than it can answer; nothing of this one was done', {
    headers: { 'retry-after': '1' },
  });
}
