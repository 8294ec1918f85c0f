import { createHash } from 'node:crypto';
import type { ExchangedKey } from '../resources/token.ts';
import { createClient } from './create-client.ts';
import { IdTokenError } from './errors.ts';
import { type ClientOptions, readOptions } from './options.ts';

/** Milliseconds before its end from which a key is no longer used: a call may take a while. */
const marginMs = 60_000;

export interface CurrentKey extends ExchangedKey {
  /** Until when calls may begin with it, by this machine's clock. */
  readonly usableUntil: number;
}

/** The key of an identity that has tokens: exchanged with the first use, and for a new token before it ends. Clients may share it. */
export class ExchangedKeySource {
  readonly #options: Omit<ClientOptions, 'keyId' | 'keySecret'>;
  readonly #token: () => Promise<string>;
  #key: Promise<CurrentKey> | undefined;
  /** The digest of the token that the last key was exchanged for. */
  #exchanged: string | undefined;

  /**
   * @param token reads the token; it may be the same for a while
   * @throws OptionsError
   */
  constructor(options: Omit<ClientOptions, 'keyId' | 'keySecret'>, token: () => Promise<string>) {
    this.#options = options;
    this.#token = token;
    // Wrong options are told now, and not with the first call.
    readOptions({ ...options, ...none });
  }

  /**
   * Gives a key that is not about to end.
   *
   * @throws IdTokenError where there is no token, or none that is newer than the one of the last key; the client's errors
   */
  async current(): Promise<CurrentKey> {
    const exchange = this.#key ?? this.#begin();
    const key = await exchange;
    if (key.usableUntil > Date.now()) return key;
    // Of the callers that find the key at its end, the first one renews it for all.
    if (this.#key === exchange) this.#key = undefined;
    return this.current();
  }

  #begin(): Promise<CurrentKey> {
    const next = this.#exchange();
    this.#key = next;
    // After a failure, the next caller tries again.
    next.catch(() => {
      this.#key = undefined;
    });
    return next;
  }

  async #exchange(): Promise<CurrentKey> {
    const token = await this.#token();
    const digest = createHash('sha256').update(token).digest('base64url');
    // The service would count it as a failed attempt to log in.
    if (digest === this.#exchanged) {
      throw new IdTokenError('the key is about to end, and its token, which works once, has not been replaced yet');
    }
    // A client for this call alone: it comes once in minutes, and no connection is to be kept for it.
    await using client = createClient({ ...this.#options, ...none });
    const key = await client.call('exchangeToken', { body: { token } });
    this.#exchanged = digest;
    // A clock that is ahead must not have each call exchange another token.
    return { ...key, usableUntil: Math.max(Date.parse(key.expiresAt) - marginMs, Date.now() + marginMs) };
  }
}

/** The service looks at no key when it exchanges a token. */
const none = { keyId: 'none', keySecret: 'none' };
