import { Refusal } from '../refusal.ts';

const longest = 255;

/** A string of structured fields (RFC 9651, 3.3.3), as the draft has it: in quotes, with \" and \\ inside. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** Without quotes, as many clients send it: visible characters but quotes, commas and semicolons. */
const bare = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]+$/;

/**
 * The key of an Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07), the same with quotes or without.
 *
 * @throws Refusal invalid_idempotency_key
 */
export function readIdempotencyKey(header: string): string {
  const inner = quoted.exec(header)?.[1];
  const key = inner === undefined ? header : inner.replace(/\\(.)/g, '$1');
  if (inner === undefined && !bare.test(header)) {
    throw invalid('must be a string in quotes, or visible ASCII characters without quotes, commas and semicolons');
  }
  if (key.length === 0 || key.length > longest) throw invalid(`must have 1 to ${longest} characters`);
  return key;
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_idempotency_key', `the Idempotency-Key ${message}`);
}
