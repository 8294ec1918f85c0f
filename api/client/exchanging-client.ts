import type { AnswerOf, OperationId, RequestOf } from '../routes.ts';
import type { CallOptions } from './call-options.ts';
import { type Client, createClient } from './create-client.ts';
import type { ClientOptions } from './options.ts';

/** How long before its end a key is not used any more, in milliseconds: a call may take a while. */
const marginMs = 60_000;

interface Exchanged {
  readonly client: Client;
  readonly endsAt: number;
}

/** A client whose key lasts minutes: it is exchanged for a token with the first call, and for a new token before it ends. */
export class ExchangingClient implements Client {
  readonly #options: Omit<ClientOptions, 'keyId' | 'keySecret'>;
  readonly #token: () => Promise<string>;
  readonly #opened: Client[] = [];
  #exchanged: Promise<Exchanged> | undefined;

  /**
   * @param token gives a token that was not exchanged before
   * @throws OptionsError
   */
  constructor(options: Omit<ClientOptions, 'keyId' | 'keySecret'>, token: () => Promise<string>) {
    this.#options = options;
    this.#token = token;
    // Wrong options are told now, and not with the first call.
    this.#open('none', 'none');
  }

  async call<Id extends OperationId>(
    id: Id,
    request: RequestOf<Id>,
    options?: CallOptions<AnswerOf<Id>>,
  ): Promise<AnswerOf<Id>> {
    const client = await this.#current();
    return client.call(id, request, options);
  }

  async close(): Promise<void> {
    await this.#exchanged?.catch(() => undefined);
    await Promise.all(this.#opened.map((client) => client.close()));
  }

  async #current(): Promise<Client> {
    const known = this.#exchanged;
    if (known === undefined) {
      const next = this.#exchange();
      this.#exchanged = next;
      // After a failure, the next call tries again.
      next.catch(() => {
        this.#exchanged = undefined;
      });
      return (await next).client;
    }
    const { client, endsAt } = await known;
    if (endsAt - Date.now() > marginMs) return client;
    // Of the calls that find the key at its end, the first one renews it for all.
    if (this.#exchanged === known) this.#exchanged = undefined;
    return this.#current();
  }

  async #exchange(): Promise<Exchanged> {
    const token = await this.#token();
    // The operation looks at no key.
    const { id, secret, expiresAt } = await this.#open('none', 'none').call('exchangeToken', { body: { token } });
    // A clock that is ahead must not have each call exchange another token.
    return { client: this.#open(id, secret), endsAt: Math.max(Date.parse(expiresAt), Date.now() + 2 * marginMs) };
  }

  #open(keyId: string, keySecret: string): Client {
    const client = createClient({ ...this.#options, keyId, keySecret });
    this.#opened.push(client);
    return client;
  }
}
