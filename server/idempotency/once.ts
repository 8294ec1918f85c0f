import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { ReadyMade } from '../ready-made.ts';
import { Refusal } from '../refusal.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { claimKey, saveAnswer } from '../store/idempotency.ts';
import type { Executor, MaybePromise } from '../store/store.ts';

/** How long a key is kept, in milliseconds. */
export const keysKept = 24 * 60 * 60 * 1000;

/** A request that came with an Idempotency-Key. */
export interface KeyedRequest {
  readonly apiKeyId: string;
  readonly key: string;
  /** By which it is known again. */
  readonly text: string;
}

/** Keys that were taken until then are forgotten. */
export function forgottenUntil(clock: Clock): string {
  return new Date(clock().getTime() - keysKept).toISOString();
}

/**
 * Does a request once: with a key that was answered before, gives that answer again, byte for byte. All in one
 * transaction with what the request changes, so that a key without its change, or the other way round, never is.
 *
 * @param work makes the answer
 * @throws Refusal idempotency_key_reused where the key came with another request before
 */
export async function doOnce(
  executor: Executor,
  { text, ...keyed }: KeyedRequest,
  { clock, seal, digest }: { clock: Clock; seal: Seal; digest: KeyedDigest },
  work: () => MaybePromise<unknown>,
): Promise<ReadyMade> {
  // Here, and not when the request came: the key of the store may have been changed since.
  const request = { ...keyed, fingerprint: digest.request(text) };
  const row = `idempotency ${request.apiKeyId} ${request.key}`;
  const times = { now: clock().toISOString(), forgotten: forgottenUntil(clock) };
  const before = await claimKey(executor, request, times);
  if (before === undefined) {
    const body = JSON.stringify(await work());
    // An answer may have a password in it.
    await saveAnswer(executor, request, seal.close(body, row));
    return new ReadyMade(Buffer.from(body));
  }
  if (!timingSafeEqual(before.fingerprint, request.fingerprint)) {
    throw new Refusal('idempotency_key_reused', 'the Idempotency-Key came with another request before');
  }
  return new ReadyMade(Buffer.from(seal.open(before.answer, row)), { replayed: true });
}
