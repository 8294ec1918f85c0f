import { timingSafeEqual } from 'node:crypto';
import { canonicalJson, idempotencyKeyPattern } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import { JsonBytes } from '../json-answer.ts';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import { Refusal } from '../refusal.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { claimKey, forgetSomeKeys, saveAnswer } from '../store/idempotency.ts';
import type { Executor, MaybePromise, Store } from '../store/store.ts';

/** Milliseconds for which a key is kept. */
const keysKept = 24 * 60 * 60 * 1000;

/** A request that came with an Idempotency-Key. */
export interface KeyedRequest {
  readonly apiKeyId: string;
  readonly key: string;
  /** The canonical text of the request, by which it is recognised. */
  readonly text: string;
}

/** Keys that were taken until then are forgotten. */
function forgottenUntil(clock: Clock): string {
  return new Date(clock().getTime() - keysKept).toISOString();
}

/**
 * Does a request once: for a key that was answered before, gives the same answer again, byte for byte. Runs in the
 * transaction of the change, so that a key is never stored without its change, nor a change without its key.
 *
 * @param work makes the answer
 * @throws Refusal idempotency_key_reused where the key came with another request before
 */
export async function doOnce(
  executor: Executor,
  { text, ...keyed }: KeyedRequest,
  { clock, seal, digest }: { clock: Clock; seal: Seal; digest: KeyedDigest },
  work: () => MaybePromise<unknown>,
): Promise<JsonBytes> {
  // Here, and not when the request came: the key of the store may have been changed since.
  const request = { ...keyed, fingerprint: digest.request(text) };
  const row = `idempotency ${request.apiKeyId} ${request.key}`;
  const times = { now: clock().toISOString(), forgotten: forgottenUntil(clock) };
  const earlier = await claimKey(executor, request, times);
  if (earlier === undefined) {
    const body = JSON.stringify(await work());
    // An answer may have a password in it.
    await saveAnswer(executor, { ...request, sealed: seal.close(body, row) });
    return new JsonBytes(Buffer.from(body));
  }
  if (!timingSafeEqual(earlier.fingerprint, request.fingerprint)) {
    throw new Refusal('idempotency_key_reused', 'the Idempotency-Key came with another request before');
  }
  return new JsonBytes(Buffer.from(seal.open(earlier.answer, row)), { replayed: true });
}

/** Milliseconds between two removals. An expired key is ignored anyway: this only frees its space. */
const pause = 60 * 60 * 1000;

/** Removes expired keys and their answers, until it is stopped. */
export function startIdempotencyMaintenance(store: Store, clock: Clock, onError: (error: unknown) => void): Ticker {
  const forgetSome = () => store.write([], (executor) => forgetSomeKeys(executor, forgottenUntil(clock)));
  const forgetAll = async () => {
    while (await forgetSome());
  };
  return startTicker(pause, forgetAll, onError);
}

/** The canonical text of a request, by which it is recognised: its fields in the order of their names. */
export function requestText(operation: string, { params, body }: { params: unknown; body: unknown }): string {
  return canonicalJson([operation, params, body ?? null], 'ordered');
}

/**
 * The key of an Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07), the same with quotes or without.
 *
 * @throws Refusal invalid_idempotency_key
 */
export function readIdempotencyKey(header: string): string {
  const match = idempotencyKeyPattern.exec(header);
  if (match !== null) return match[1]?.replace(/\\(.)/g, '$1') ?? header;
  const detail =
    'must be a string of 1 to 255 characters in quotes, or as many visible ASCII characters without quotes, commas and semicolons';
  throw new Refusal('invalid_idempotency_key', `the Idempotency-Key ${detail}`);
}
