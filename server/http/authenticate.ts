import type { Scope } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import type { KeyHash } from '../secrets/key-hash.ts';
import { findCredentials } from '../store/api-key.ts';
import type { Store } from '../store/store.ts';

/** The key that a request was made with. */
export interface Identity {
  readonly keyId: string;
  readonly scope: Scope;
}

/** Finds out who makes a request, from its Authorization header. @throws Refusal unauthenticated */
export type Authenticate = (authorization: string | undefined) => Promise<Identity>;

/** The key is looked up anew for each request: one that is revoked or rotated elsewhere is so from the next request on. */
export function createAuthenticate({
  store,
  keyHash,
  clock,
}: {
  store: Store;
  keyHash: KeyHash;
  clock: Clock;
}): Authenticate {
  // Takes the place of an unknown key's hash, so that the time of the answer does not tell whether a key exists.
  const nobody = keyHash.hash('');
  return async (authorization) => {
    const given = readBasic(authorization);
    if (given === undefined) throw unauthenticated('send HTTP Basic authentication with <API_KEY_ID>@api');
    const key = await store.read((executor) => findCredentials(executor, given.keyId));
    const right = keyHash.matches(given.secret, key?.secretHash ?? nobody);
    if (key === undefined || !right) throw unauthenticated('the API key is unknown or revoked, or its secret is wrong');
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= clock().getTime()) {
      throw unauthenticated('the API key has expired');
    }
    return { keyId: given.keyId, scope: key.scope };
  };
}

const scheme = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const credentials = /^([^:@]+)@api:(.*)$/s;

/** `<API_KEY_ID>@api` and `<API_KEY_SECRET>` (specification, Authentication; RFC 7617). */
function readBasic(authorization: string | undefined): { keyId: string; secret: string } | undefined {
  const encoded = scheme.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, keyId, secret] = credentials.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret };
}

function unauthenticated(detail: string): Refusal {
  return new Refusal('unauthenticated', detail, {
    headers: { 'www-authenticate': 'Basic realm="rolecall", charset="UTF-8"' },
  });
}
