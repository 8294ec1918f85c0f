import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { isSafe } from './rules.ts';

/** In milliseconds: how long keys are used, and how soon they are fetched again for an unknown key or after a failure. */
const times = { kept: 10 * 60_000, sooner: 30_000, failed: 10_000, answer: 5000 };
const mostBytes = 256 * 1024;

const discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

export class IssuerError extends Error {
  override name = 'IssuerError';
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** The public keys of one issuer, with one fetch at a time. Tokens cannot make the service fetch them often. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #now: () => number;
  #found: { readonly findKey: FindKey; readonly at: number } | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  #pending: Promise<FindKey> | undefined;

  /** @param now milliseconds of a clock that is never set back */
  constructor(issuer: string, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /** Finds the key of a token. @throws IssuerError if the issuer's keys cannot be fetched, JOSEError if none matches */
  readonly find: JWTVerifyGetKey = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const findKey = await this.#keys(times.kept);
    try {
      return await findKey(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have a new key.
      const again = await this.#keys(times.sooner);
      if (again === findKey) throw error;
      return again(header, token);
    }
  };

  async #keys(maxAge: number): Promise<FindKey> {
    const now = this.#now();
    if (this.#found !== undefined && now - this.#found.at < maxAge) return this.#found.findKey;
    if (this.#failed !== undefined && now - this.#failed.at < times.failed) throw this.#failed.error;
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #fetch(): Promise<FindKey> {
    try {
      const { issuer, jwks_uri } = await fetchJson(
        `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        discovery,
      );
      if (issuer !== this.#issuer) throw new IssuerError(`it calls itself ${issuer.slice(0, 200)}`);
      // Plain HTTP is only for an issuer on this machine: a remote one could point the service at its own loopback.
      if (URL.parse(jwks_uri)?.protocol !== new URL(issuer).protocol) {
        throw new IssuerError('the address of its keys has another scheme than its own');
      }
      const findKey = createLocalJWKSet(await fetchJson(jwks_uri, keySet));
      this.#found = { findKey, at: this.#now() };
      this.#failed = undefined;
      return findKey;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : 'unknown';
      const error = new IssuerError(`the keys of the issuer ${this.#issuer} cannot be fetched: ${why}`, { cause });
      this.#failed = { error, at: this.#now() };
      throw error;
    }
  }
}

/** Fetches a small JSON document within a bounded time. No redirect is followed: it could lead anywhere. */
async function fetchJson<T>(address: string, schema: z.ZodType<T>): Promise<T> {
  if (!isSafe(new URL(address))) throw new IssuerError('it names an address without https');
  const signal = AbortSignal.timeout(times.answer);
  const answer = await fetch(address, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  if (answer.status !== 200 || answer.body === null) {
    await answer.body?.cancel();
    throw new IssuerError(`it answered ${answer.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  // The types of fetch's streams do not include their chunks.
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > mostBytes) throw new IssuerError(`its answer is larger than ${mostBytes} bytes`);
    parts.push(part);
  }
  const parsed = schema.safeParse(JSON.parse(Buffer.concat(parts).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new IssuerError('its answer is not what OpenID Connect says');
}
