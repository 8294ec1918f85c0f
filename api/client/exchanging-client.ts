import type { AnswerOf, OperationId, RequestOf } from '../routes.ts';
import { routeTable } from '../routes.ts';
import type { CallOptions } from './call-options.ts';
import { type Client, createClient } from './create-client.ts';
import { ClosedError } from './errors.ts';
import type { ExchangedKeySource } from './exchanged-key-source.ts';
import type { ClientOptions } from './options.ts';

/** The client of one key. */
interface Held {
  readonly keyId: string;
  readonly client: Client;
  /** Calls under way, or waiting for a retry. */
  calls: number;
}

/** A client whose key lasts minutes: each call takes the key that its source has then. */
export class ExchangingClient implements Client {
  readonly #options: Omit<ClientOptions, 'keyId' | 'keySecret'>;
  readonly #source: ExchangedKeySource;
  #held: Held | undefined;
  /** Kept here, since the client of the next key has heard of none. */
  #store: string | undefined;
  #isClosed = false;
  #replacedClosed: Promise<unknown> = Promise.resolve();

  constructor(options: Omit<ClientOptions, 'keyId' | 'keySecret'>, source: ExchangedKeySource) {
    this.#options = options;
    this.#source = source;
  }

  async call<Id extends OperationId>(
    id: Id,
    request: RequestOf<Id>,
    options?: CallOptions<AnswerOf<Id>>,
  ): Promise<AnswerOf<Id>> {
    const key = this.#isClosed ? undefined : await this.#source.current();
    // It may have been closed meanwhile.
    if (key === undefined || this.#isClosed) {
      const { method, path } = routeTable[id];
      throw new ClosedError({ operationId: id, method, path, attempt: 1, ambiguous: false });
    }
    const held = this.#hold(key);
    held.calls += 1;
    try {
      const answer = await held.client.call(id, request, options);
      this.#store = held.client.store();
      return answer;
    } finally {
      held.calls -= 1;
      this.#closeIfLeft(held);
    }
  }

  store(): string | undefined {
    return this.#store;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#replacedClosed, this.#held?.client.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #hold({ id, secret }: { readonly id: string; readonly secret: string }): Held {
    const previous = this.#held;
    if (previous?.keyId === id) return previous;
    const held = { keyId: id, client: createClient({ ...this.#options, keyId: id, keySecret: secret }), calls: 0 };
    this.#held = held;
    if (previous !== undefined) this.#closeIfLeft(previous);
    return held;
  }

  /** Closes a client that no call needs any more: a service that runs for months would keep the connections of each key. */
  #closeIfLeft(held: Held): void {
    // A client that is closed repeats no call, so those that may be repeated come first.
    if (held !== this.#held && held.calls === 0)
      this.#replacedClosed = Promise.allSettled([this.#replacedClosed, held.client.close()]);
  }
}
