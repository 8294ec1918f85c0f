import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { fieldErrors } from '../field-errors.ts';
import { fetchBounded } from '../http/fetch-bounded.ts';
import { isSafe } from './rules.ts';

/** In milliseconds: how long keys are used, and how soon they are fetched again for an unknown key or after a failure. */
const times = { kept: 10 * 60_000, sooner: 30_000, failed: 10_000 };

// The rest is whatever JSON gave: looking at each value of a large answer would hold other requests up.
const discovery = z
  .object({ issuer: z.string(), jwks_uri: z.url() })
  .catchall(z.custom<z.core.util.JSONType>(() => true));
const mostKeys = 100;
const keySet = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string() })).max(mostKeys, `must be at most ${mostKeys}`),
});

export class IssuerError extends Error {
  override name = 'IssuerError';
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** Metadata of an issuer; its keys are fetched with it. */
export type IssuerMetadata = z.output<typeof discovery>;

interface Fetched {
  readonly metadata: IssuerMetadata;
  readonly findKey: FindKey;
}

/** The public keys of one issuer, with one fetch at a time. Tokens cannot make the service fetch them often. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #now: () => number;
  /** Time at which a key that anyone can ask for was last looked for. */
  #sought = -Infinity;
  #current: { readonly fetched: Fetched; readonly at: number } | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  #pending: Promise<Fetched> | undefined;

  /** @param now milliseconds of a clock that is never set back */
  constructor(issuer: string, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /**
   * Returns the issuer's metadata.
   *
   * @param maxAge greatest age of the metadata, in milliseconds; everyone who asks at once shares one request
   * @throws IssuerError if it cannot be fetched
   */
  async metadata(maxAge = times.kept): Promise<IssuerMetadata> {
    return (await this.#fetched(maxAge)).metadata;
  }

  /** Finds the key of a token. @throws IssuerError if the issuer's keys cannot be fetched, JOSEError if none matches */
  readonly find: JWTVerifyGetKey = (header, token) => this.#find(header, token, times.sooner);

  /** The same for a token that the issuer itself has handed over: an unknown key is a new one, so it is fetched at once. */
  readonly findNew: JWTVerifyGetKey = (header, token) => this.#find(header, token, 0);

  async #find(header: JWSHeaderParameters, token: FlattenedJWSInput, sooner: number) {
    const cached = await this.#fetched(times.kept);
    try {
      return await cached.findKey(header, token);
    } catch (error) {
      const now = this.#now();
      if (!(error instanceof errors.JWKSNoMatchingKey) || now - this.#sought < sooner) throw error;
      this.#sought = now;
      // The issuer may have a new key.
      return (await this.#fetched(0)).findKey(header, token);
    }
  }

  async #fetched(maxAge: number): Promise<Fetched> {
    const now = this.#now();
    if (this.#current !== undefined && now - this.#current.at < maxAge) return this.#current.fetched;
    if (this.#failed !== undefined && now - this.#failed.at < times.failed) throw this.#failed.error;
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #fetch(): Promise<Fetched> {
    try {
      const metadata = await fetchJson(
        `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        discovery,
      );
      const { issuer, jwks_uri } = metadata;
      if (issuer !== this.#issuer) throw new IssuerError(`it calls itself ${issuer.slice(0, 200)}`);
      // Plain HTTP is only for an issuer on this machine: a remote one could point the service at its own loopback.
      if (URL.parse(jwks_uri)?.protocol !== new URL(issuer).protocol) {
        throw new IssuerError('the address of its keys has another scheme than its own');
      }
      const fetched = { metadata, findKey: createLocalJWKSet(await fetchJson(jwks_uri, keySet)) };
      this.#current = { fetched, at: this.#now() };
      this.#failed = undefined;
      return fetched;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : 'unknown';
      const error = new IssuerError(`the keys of the issuer ${this.#issuer} cannot be fetched: ${why}`, { cause });
      this.#failed = { error, at: this.#now() };
      throw error;
    }
  }
}

async function fetchJson<T>(address: string, schema: z.ZodType<T>): Promise<T> {
  if (!isSafe(new URL(address))) throw new IssuerError('it names an address without https');
  const answer = await fetchBounded(address, { headers: { accept: 'application/json' } });
  if (answer.status !== 200) throw new IssuerError(`it answered ${answer.status}`);
  const parsed = schema.safeParse(await answer.json(), { reportInput: true });
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: '', message: '' }] = fieldErrors(parsed.error, schema);
  throw new IssuerError(`its answer is not what OpenID Connect says: ${path} ${message}`);
}
