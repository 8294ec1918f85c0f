import { Refusal } from '../refusal.ts';

/** @param seconds until the next request is taken */
export function tooManyRequests(detail: string, seconds: number): Refusal {
  // Retry-After has whole seconds (RFC 9110, 10.2.3).
  return new Refusal('too_many_requests', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
  });
}
