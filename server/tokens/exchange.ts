import { createHash } from 'node:crypto';
import type { ExchangedKey } from '@rolecall/api';
import { errors, jwtVerify } from 'jose';
import { KeyError, makeKey, resolveDataSources } from '../admin/keys.ts';
import { created } from '../audit/change.ts';
import { showKey } from '../audit/show.ts';
import type { Clock } from '../clock.ts';
import type { Data } from '../data/open-data.ts';
import type { Asker } from '../handlers/handler.ts';
import { networkOf } from '../http/connections.ts';
import type { LoginFailure } from '../http/failed-logins.ts';
import { TokenBuckets, tooManyRequests } from '../http/limits/rate-limits.ts';
import { Refusal } from '../refusal.ts';
import { countExchangedKeys, findExchangedKey } from '../store/api-key.ts';
import type { Store } from '../store/store.ts';
import { IssuerError, IssuerKeys } from './issuer-keys.ts';
import { findRule, type TrustRule } from './rules.ts';

export interface ExchangeParts extends Pick<Data, 'seal' | 'keyHash'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly rules: readonly TrustRule[];
  /** Called with the reason for each refused token, never with the token. */
  readonly warn: (details: object, message: string) => void;
  /** Called for each failed attempt, for the audit trail. */
  readonly failed: (address: string, reason: LoginFailure) => void;
}

interface Verified {
  readonly rule: TrustRule;
  readonly subject: string;
  readonly expiresAt: string;
}

/** Signatures by a key that only the issuer has. An HS256 secret could be derived from the public key. */
const algorithms = ['RS256', 'ES256', 'EdDSA'];
/** By how much the clocks of issuer and service may differ, in seconds. */
const leeway = 10;
/** Exchanges of one address, and the number of exchanged keys at a time. */
const limits = { perSecond: 2, atOnce: 60, addresses: 10_000, keys: 10_000 };

/** Exchanges tokens that the platform of a pipeline has signed for API keys that last minutes. */
export class TokenExchange {
  readonly #parts: ExchangeParts;
  readonly #issuers = new Map<string, IssuerKeys>();
  readonly #buckets;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const now = () => performance.now();
    for (const { issuer } of parts.rules) this.#issuers.set(issuer, new IssuerKeys(issuer, now));
    this.#buckets = new TokenBuckets({
      rate: limits.perSecond,
      burst: limits.atOnce,
      most: limits.addresses,
      now,
    });
  }

  /** @throws Refusal token_refused, too_many_requests, unavailable; not_found where no issuer is trusted */
  async exchange(token: string, asker: Asker): Promise<ExchangedKey> {
    if (this.#issuers.size === 0) {
      throw new Refusal('not_found', 'this service exchanges no tokens: it was started without --trust');
    }
    const network = networkOf(asker.address);
    const wait = this.#buckets.wait(network);
    if (wait > 0) {
      this.#parts.failed(asker.address, 'too many attempts');
      throw tooManyRequests('too many tokens came from this address', wait);
    }
    this.#buckets.take(network);
    try {
      return await this.#makeKey(token, await this.#verify(token), asker);
    } catch (error) {
      if (error instanceof Refusal) this.#parts.warn({ ...asker, reason: error.message }, 'a token was refused');
      if (error instanceof TokenRefusal) this.#parts.failed(asker.address, `refused token: ${error.reason}`);
      throw error;
    }
  }

  async #verify(token: string): Promise<Verified> {
    const keys = this.#issuers.get(issuerOf(token));
    if (keys === undefined) throw refused('its issuer is not trusted here');
    const now = this.#parts.clock();
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms,
      clockTolerance: leeway,
      currentDate: now,
      requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp'],
    }).catch((error: unknown) => {
      if (error instanceof IssuerError) {
        throw new Refusal('unavailable', error.message, { headers: { 'retry-after': '10' }, cause: error });
      }
      if (error instanceof errors.JOSEError) throw refused(reasons[error.code] ?? 'it is not valid');
      throw error;
    });
    const { iat = Infinity, exp = 0, sub = '' } = payload;
    if (iat * 1000 > now.getTime() + leeway * 1000) throw refused('it was issued in the future: compare the clocks');
    const rule = findRule(this.#parts.rules, payload);
    if (rule === undefined) throw refused('it is genuine, but its audience and claims fit no rule of the trust file');
    return { rule, subject: sub, expiresAt: new Date(Math.min(exp, lastSecond) * 1000).toISOString() };
  }

  async #makeKey(token: string, { rule, subject, expiresAt }: Verified, asker: Asker): Promise<ExchangedKey> {
    const { store, clock } = this.#parts;
    // Of the signed part only: the signature of one token can be spelled in several ways.
    const digest = createHash('sha256')
      .update(token.slice(0, token.lastIndexOf('.')))
      .digest('base64url');
    const now = clock();
    // As long as the token would still be accepted.
    const tokenEnd = new Date(Date.parse(expiresAt) + leeway * 1000).toISOString();
    const key = await store.write([], async (executor, record) => {
      if ((await findExchangedKey(executor, digest)) !== undefined) {
        throw refused('it was exchanged before: ask the platform for a new one');
      }
      if (((await countExchangedKeys(executor)) ?? 0) >= limits.keys)
        throw tooManyRequests('too many tokens were exchanged', 60);
      const dataSources = await resolveDataSources(executor, rule.dataSources).catch((error: unknown) => {
        if (error instanceof KeyError) throw refused(`of its rule ${rule.name}: ${error.message}`);
        throw error;
      });
      const { secret, ...made } = await makeKey(
        executor,
        this.#parts,
        {
          name: `${rule.name} ${subject}`.replace(/\p{C}/gu, ' ').slice(0, 100).toWellFormed().trim(),
          scope: rule.scope,
          dataSources,
          createdAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + rule.lifetime * 1000).toISOString(),
        },
        { digest, expiresAt: tokenEnd },
      );
      const shown = showKey(made);
      const fields = { ...shown.fields, issuer: rule.issuer, subject: subject.slice(0, 1000), rule: rule.name };
      record({
        at: now.toISOString(),
        actor: { type: 'pipeline', id: subject.slice(0, 1000), name: rule.name },
        operation: 'exchangeToken',
        requestId: asker.requestId,
        changes: [created({ ...shown, fields: { ...fields, address: asker.address } })],
      });
      return { ...made, secret };
    });
    const { id, secret, scope, dataSources, expiresAt: end } = key;
    if (end === null) throw new Error('an exchanged key has an end');
    return { id, secret, scope, dataSources, expiresAt: end };
  }
}

/** The end of the year 9999, in seconds. */
const lastSecond = 253_402_300_799;

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'a time or a claim that every token has is missing, or not yet reached',
  ERR_JOSE_ALG_NOT_ALLOWED: `its algorithm is none of ${algorithms.join(', ')}`,
  ERR_JWKS_NO_MATCHING_KEY: 'its issuer has no such key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
};

/** The issuer that the token names, unverified: only to find the keys that verify it. @throws Refusal */
function issuerOf(token: string): string {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof payload === 'object' && payload !== null && 'iss' in payload) return String(payload.iss);
  } catch {
    // No JSON.
  }
  throw refused('it is not a JSON Web Token with an issuer');
}

/** @param reason a fixed text that repeats nothing from the token, since the audit trail shows it */
function refused(reason: string): TokenRefusal {
  return new TokenRefusal(reason);
}

class TokenRefusal extends Refusal {
  readonly reason: string;
  constructor(reason: string) {
    super('token_refused', `the token is refused: ${reason}`);
    this.reason = reason;
  }
}
