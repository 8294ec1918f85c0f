import type { Scope } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import type { StoreKeys } from '../data/store-keys.ts';
import { Refusal } from '../refusal.ts';
import { findKeyWithCheck, isIntact, type StoredKey } from '../store/api-key.ts';
import { StoreKeyChangedError } from '../store/errors.ts';
import type { Executor, MaybePromise, Store } from '../store/store.ts';
import type { LoginFailure } from './failed-logins.ts';
import type { Claim, GuessLimit, RateLimit } from './limits/rate-limits.ts';

/** The key that a request was made with. */
export interface Identity {
  readonly keyId: string;
  readonly keyName: string | null;
  readonly scope: Scope;
  /** The identifiers of the data sources that the key is limited to; undefined for all. */
  readonly dataSources: ReadonlySet<string> | undefined;
}

/** The part of a Fastify request that identifies its caller. */
export interface Caller {
  readonly headers: { readonly authorization?: string | undefined };
  /** The address of the client. */
  readonly ip: string;
}

/** Identifies the caller of a request by its Authorization header. @throws Refusal unauthenticated, too_many_requests */
export type Authenticate = (caller: Caller) => MaybePromise<Identity>;

interface Given {
  keyId: string;
  secret: string;
}

interface Verified {
  revision: number;
  identity: Identity;
  /** In milliseconds; undefined for never. */
  expiresAt: number | undefined;
}

/** Verified keys that are remembered. One more, and all are forgotten. */
const mostRemembered = 1000;

export interface KeyAuthenticatorParts {
  readonly store: Store;
  readonly keys: StoreKeys;
  readonly clock: Clock;
  readonly guesses: GuessLimit;
  /** Limit of requests for each key. */
  readonly rate: RateLimit;
  /** Told of a key whose secret is right, but whose row was changed in the database. */
  readonly altered: (keyId: string) => void;
  /** Told of each failure where credentials were given; the key's id only where there is such a key. */
  readonly failed: (address: string, reason: LoginFailure, keyId?: string) => void;
}

/**
 * Checks a key again as soon as anything in the store has changed, so that a key revoked or rotated by any process is refused
 * from the next request on.
 */
export class KeyAuthenticator {
  readonly #parts: KeyAuthenticatorParts;
  /** Compared in place of an unknown key's hash, so that response times do not reveal which keys exist. */
  readonly #unknownHash: Uint8Array;
  readonly #remembered = new Map<string, Verified>();

  constructor(parts: KeyAuthenticatorParts) {
    this.#parts = parts;
    this.#unknownHash = parts.keys.keyHash.hash('');
  }

  readonly authenticate: Authenticate = (caller) => {
    const identity = this.#identify(caller);
    return identity instanceof Promise ? identity.then((later) => this.#admit(later)) : this.#admit(identity);
  };

  #admit(identity: Identity): Identity {
    this.#parts.rate.admit(identity.keyId);
    return identity;
  }

  #identify({ headers: { authorization }, ip: address }: Caller): MaybePromise<Identity> {
    if (authorization === undefined) throw unauthenticated('send HTTP Basic authentication with <API_KEY_ID>@api');
    const { store, guesses, failed } = this.#parts;
    return store.read((executor) => {
      const entry = this.#remembered.get(authorization);
      if (entry !== undefined && entry.revision === executor.revision) return this.#unexpired(address, entry);
      const given = readBasic(authorization);
      if (given === undefined) {
        failed(address, 'malformed header');
        throw unauthenticated('the Authorization header is not Basic with <API_KEY_ID>@api');
      }
      const claim = { address, keyId: given.keyId, authorization };
      return guesses.attempt(claim, () => this.#verify(executor, claim, given));
    });
  }

  async #verify(executor: Executor, { address, authorization }: Claim, given: Given): Promise<Identity> {
    const { keys, altered, failed } = this.#parts;
    const { revision } = executor;
    const key = await findUnderCurrentKey(executor, keys, given.keyId);
    const right = keys.keyHash.matches(given.secret, key?.secretHash ?? this.#unknownHash);
    if (key === undefined || !right || key.revokedAt !== null) {
      if (key === undefined) failed(address, 'unknown key');
      else failed(address, right ? 'revoked key' : 'wrong secret', key.id);
      throw unknownKey();
    }
    if (!isIntact(keys.seal, key)) {
      altered(key.id);
      failed(address, 'altered key', key.id);
      throw unknownKey();
    }
    const dataSources = key.dataSources === null ? undefined : new Set(key.dataSources);
    const identity = { keyId: given.keyId, keyName: key.name, scope: key.scope, dataSources };
    const verified = { identity, expiresAt: key.expiresAt === null ? undefined : Date.parse(key.expiresAt) };
    if (revision !== undefined) this.#remember(authorization, { ...verified, revision });
    return this.#unexpired(address, verified);
  }

  #remember(authorization: string, verified: Verified): void {
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(authorization, verified);
  }

  #unexpired(address: string, { identity, expiresAt }: Pick<Verified, 'identity' | 'expiresAt'>): Identity {
    const { clock, failed } = this.#parts;
    if (expiresAt === undefined || expiresAt > clock().getTime()) return identity;
    failed(address, 'expired key', identity.keyId);
    throw unauthenticated('the API key has expired');
  }
}

const mostAttempts = 3;

/** Each request learns here, by the row of its key, that the store's key was changed. @throws StoreKeyChangedError */
async function findUnderCurrentKey(executor: Executor, keys: StoreKeys, id: string): Promise<StoredKey | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const row = await findKeyWithCheck(executor, id);
    if (row === undefined || row.keyCheck === keys.current.check) return row?.key;
    await keys.follow();
  }
  throw new StoreKeyChangedError('the key of the store was changed several times in a moment');
}

const scheme = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;
/** Keys have 12 letters and digits. Without a bound, attempts with long names would fill the memory that counts attempts. */
const credentials = /^([^:@]{1,100})@api:(.*)$/s;

/** `<API_KEY_ID>@api` and `<API_KEY_SECRET>` (specification, Authentication; RFC 7617). */
function readBasic(authorization: string): Given | undefined {
  const encoded = scheme.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, keyId, secret] = credentials.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret };
}

function unknownKey(): Refusal {
  return unauthenticated('the API key is unknown or revoked, or its secret is wrong');
}

function unauthenticated(detail: string): Refusal {
  return new Refusal('unauthenticated', detail, {
    headers: { 'www-authenticate': 'Basic realm="rolecall", charset="UTF-8"' },
  });
}
