import type { AnswerOf, OperationId, RequestOf } from '../routes.ts';
import type { CallOptions } from './call-options.ts';
import { type Client, createClient } from './create-client.ts';
import type { ClientOptions } from './options.ts';

/** How long before its end a key is not used any more, in milliseconds: a call may take a while. */
const marginMs = 60_000;

/** The client of one key. */
interface Exchanged {
  readonly client: Client;
  readonly endsAt: number;
  /** How many calls are under way, or wait to be repeated. */
  calls: number;
  /** Whether another key has taken its place. */
  isReplaced: boolean;
}

/** A client whose key lasts minutes: it is exchanged for a token with the first call, and for a new token before it ends. */
export class ExchangingClient implements Client {
  readonly #options: Omit<ClientOptions, 'keyId' | 'keySecret'>;
  readonly #token: () => Promise<string>;
  readonly #exchanger: Client;
  #exchanged: Promise<Exchanged> | undefined;
  #replacedClosed: Promise<unknown> = Promise.resolve();

  /**
   * @param token gives a token that was not exchanged before
   * @throws OptionsError
   */
  constructor(options: Omit<ClientOptions, 'keyId' | 'keySecret'>, token: () => Promise<string>) {
    this.#options = options;
    this.#token = token;
    // The operation that exchanges looks at no key. Wrong options are told now, and not with the first call.
    this.#exchanger = createClient({ ...options, keyId: 'none', keySecret: 'none' });
  }

  async call<Id extends OperationId>(
    id: Id,
    request: RequestOf<Id>,
    options?: CallOptions<AnswerOf<Id>>,
  ): Promise<AnswerOf<Id>> {
    const exchanged = await this.#current();
    try {
      return await exchanged.client.call(id, request, options);
    } finally {
      exchanged.calls -= 1;
      this.#closeIfLeft(exchanged);
    }
  }

  async close(): Promise<void> {
    const last = await this.#exchanged?.catch(() => undefined);
    await Promise.all([this.#replacedClosed, last?.client.close(), this.#exchanger.close()]);
  }

  /** @returns the client of a key that is not about to end, with the caller's call counted */
  async #current(): Promise<Exchanged> {
    const known = this.#exchanged ?? this.#begin();
    const exchanged = await known;
    if (exchanged.endsAt - Date.now() > marginMs) {
      exchanged.calls += 1;
      return exchanged;
    }
    // Of the calls that find the key at its end, the first one renews it for all.
    if (this.#exchanged === known) {
      this.#exchanged = undefined;
      exchanged.isReplaced = true;
      this.#closeIfLeft(exchanged);
    }
    return this.#current();
  }

  #begin(): Promise<Exchanged> {
    const next = this.#exchange();
    this.#exchanged = next;
    // After a failure, the next call tries again.
    next.catch(() => {
      this.#exchanged = undefined;
    });
    return next;
  }

  async #exchange(): Promise<Exchanged> {
    const token = await this.#token();
    const { id, secret, expiresAt } = await this.#exchanger.call('exchangeToken', { body: { token } });
    return {
      client: createClient({ ...this.#options, keyId: id, keySecret: secret }),
      // A clock that is ahead must not have each call exchange another token.
      endsAt: Math.max(Date.parse(expiresAt), Date.now() + 2 * marginMs),
      calls: 0,
      isReplaced: false,
    };
  }

  /** Closes a client that no call needs any more: a service that runs for months would keep the connections of each key. */
  #closeIfLeft({ isReplaced, calls, client }: Exchanged): void {
    // A client that is closed repeats no call, so those that may be repeated come first.
    if (isReplaced && calls === 0) this.#replacedClosed = Promise.allSettled([this.#replacedClosed, client.close()]);
  }
}
