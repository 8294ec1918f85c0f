/** The clients of the workspaces: one for each Workspace, kept while its address and key stay the same. */

import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import {
  type CallReport,
  type Client,
  type ClientOptions,
  createClient,
  type ExchangedKeySource,
  ExchangingClient,
  IdTokenError,
  loadConnections,
  longestManager,
  OptionsError,
} from '@rolecall/api';
import type { DefinitionOf } from '@rolecall/crds';
import type { SecretsInformer } from '../resources/secrets-informer.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Reason } from '../status/reasons.ts';
import { type AddressRules, type AllowedAddresses, allowAddresses } from './allowed-addresses.ts';
import { NamespaceRoom } from './answer-room.ts';
import { Identities, type OperatorIdentity } from './identities.ts';
import { ServiceClock } from './service-clock.ts';

export type Connected =
  | { readonly client: Client; readonly url: string }
  | { readonly reason: Reason; readonly message: string };

/** The name under which the operator calls the service. @param key namespace and name of the Workspace */
export const managerName = (key: string): string => `operator/${key}`.slice(0, longestManager);

interface PooledClient {
  readonly url: string;
  readonly fingerprint: string;
  readonly client: Client;
}

export interface ClientPoolOptions {
  /** Ends every call of every client: those under way when the operator is to end are finished before. */
  readonly signal: AbortSignal;
  /** The most calls of one service in flight at a time. */
  readonly connections: number;
  /** The time in which a service must begin to answer, in milliseconds. */
  readonly answerMs: number;
  /** By which a call that failed waits before it is tried again. */
  readonly clock: Clock;
  /** The addresses that Workspaces may name; default: all. */
  readonly addresses?: AddressRules | undefined;
  /** The identities that Workspaces without a Secret may use; default: none. */
  readonly identities?: readonly OperatorIdentity[] | undefined;
  /**
   * Called each time that a token cannot be used, as the editors of a namespace are not to learn why, or that an address is refused,
   * which only those who run the operator can allow.
   */
  readonly onError: (error: Error) => void;
}

/** The key of a Workspace: from its Secret, or exchanged for a token of the operator. */
type Key = { readonly keyId: string; readonly keySecret: string } | { readonly keys: ExchangedKeySource };

/** The largest answer: the people who choose a Workspace's address share this process's memory with others. */
const maxAnswerBytes = 32 * 1024 * 1024;

/** A whole answer may take so many times as long as its beginning. Until it ends, the Workspace's status says nothing new. */
const toWholeAnswer = 6;

export class ClientPool implements AsyncDisposable {
  readonly #informer: SecretsInformer;
  readonly #options: ClientPoolOptions;
  /** The last client of each Workspace, by namespace and name. */
  readonly #clients = new Map<string, PooledClient>();
  /** The clock of each service, by namespace and name of the Workspace. */
  readonly #clocks = new Map<string, ServiceClock>();
  /** The memory of the answers, by namespace. */
  readonly #rooms = new Map<string, NamespaceRoom>();
  readonly #addresses: AllowedAddresses | undefined;
  readonly #identities: Identities;
  /** The numbers of the identities' keys, which tell clients apart. */
  readonly #numbers = new Map<ExchangedKeySource, number>();

  constructor(informer: SecretsInformer, options: ClientPoolOptions) {
    this.#informer = informer;
    this.#options = options;
    this.#addresses = options.addresses && allowAddresses(options.addresses);
    this.#identities = new Identities(options.identities ?? [], this.#bounds());
    // While the Secrets of the Workspaces are read. The first call tells of an error.
    void loadConnections().catch(() => undefined);
  }

  /**
   * Gives the client of a Workspace, or says why there is none.
   *
   * @param isBeingDeleted whether the Workspace is being deleted: then its Secret, or the right to read it, may have gone first, as with
   *   a namespace, and the key that was last used removes what is left
   */
  async connect(
    { metadata, spec }: DefinitionOf<'Workspace'>,
    namespace: string,
    isBeingDeleted: boolean,
  ): Promise<Connected> {
    const { url, credentialsFrom, caFile } = spec;
    const reference = credentialsFrom?.secretKeyRef;
    const isOperator = credentialsFrom === undefined && this.#identities.size > 0;
    // The operator's own environment and files are not for the people who may create objects in a namespace.
    if (url === undefined || (reference === undefined && !isOperator) || caFile !== undefined) {
      const message =
        'in a cluster, spec.url and spec.credentialsFrom.secretKeyRef are needed, and spec.caFile cannot be used';
      return { reason: 'Incomplete', message };
    }
    const name = `${namespace}/${metadata.name}`;
    const refusal = this.#refusal(name, url);
    if (refusal !== undefined) return refusal;
    if (reference === undefined) return this.#connectAsOperator(namespace, name, url);
    const reading = await this.#informer.read('secrets', namespace, reference.name);
    if ('problem' in reading) {
      const last = this.#clients.get(name);
      if (isBeingDeleted && last?.url === url) return { client: last.client, url };
      return { reason: 'SecretNotFound', message: `spec.credentialsFrom: ${reading.problem}` };
    }
    const [id, secret] = [reading.data[reference.keyId], reading.data[reference.keySecret]];
    if (id === undefined || secret === undefined) {
      const message = `spec.credentialsFrom: the Secret ${reference.name} lacks the key ${id === undefined ? reference.keyId : reference.keySecret}`;
      return { reason: 'SecretNotFound', message };
    }
    try {
      return { client: await this.#open(namespace, name, url, { keyId: id.trim(), keySecret: secret.trim() }), url };
    } catch (error) {
      if (error instanceof OptionsError) return { reason: 'Invalid', message: error.message };
      throw error;
    }
  }

  /** Gives the client of a Workspace without a Secret, if those who run the operator let it use an identity of the operator. */
  async #connectAsOperator(namespace: string, name: string, url: string): Promise<Connected> {
    const identity = this.#identities.find(namespace, url);
    if (identity === undefined) {
      const message =
        'spec.credentialsFrom is missing, and the operator may not use its own identity for this namespace at spec.url: name a Secret, or ask those who run the operator';
      return { reason: 'IdentityDenied', message };
    }
    try {
      await identity.keys.current();
      return { client: await this.#open(namespace, name, identity.url, { keys: identity.keys }), url: identity.url };
    } catch (error) {
      if (!(error instanceof IdTokenError)) throw error;
      this.#options.onError(new Error(`the token for ${identity.url} cannot be used: ${error.message}`));
      const message = 'the operator has no token to exchange for a key; its log says why. It tries again by itself';
      return { reason: 'TokenUnavailable', message };
    }
  }

  /** Frees what a Workspace that is gone had. @param name namespace and name */
  async forget(name: string): Promise<void> {
    const { client } = this.#clients.get(name) ?? {};
    this.#clients.delete(name);
    this.#clocks.delete(name);
    const [namespace = ''] = name.split('/');
    if (this.#rooms.get(namespace)?.forget(name) === true) this.#rooms.delete(namespace);
    await client?.close();
  }

  /** The clock of the service of a Workspace. @param name namespace and name */
  clockOf(name: string): ServiceClock {
    const clock = this.#clocks.get(name) ?? new ServiceClock(this.#options.clock);
    this.#clocks.set(name, clock);
    return clock;
  }

  /** The clock of each service that was asked, with namespace and name of its Workspace. */
  clocks(): Iterable<[string, ServiceClock]> {
    return this.#clocks;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.close()));
  }

  /** Why a Workspace may not name an address, before its Secret is sent there. */
  #refusal(name: string, url: string): Extract<Connected, { reason: Reason }> | undefined {
    try {
      const why = this.#addresses?.refusal(url);
      if (why === undefined) return undefined;
      this.#logDenied(name, `${url}: ${why}`);
      return { reason: 'AddressDenied', message: `spec.url: ${why}` };
    } catch (error) {
      if (error instanceof OptionsError) return { reason: 'Invalid', message: error.message };
      throw error;
    }
  }

  #logDenied(name: string, what: string): void {
    this.#options.onError(new Error(`the address of the Workspace ${name} is refused: ${what}`));
  }

  /** Looks up host names for one Workspace. What is refused is logged. */
  #lookupFor(name: string): LookupFunction | undefined {
    const { lookup } = this.#addresses ?? {};
    if (lookup === undefined) return undefined;
    return (host, options, done) => {
      lookup(host, options, (error, ...addresses) => {
        if (error?.code === 'ERR_DENIED') this.#logDenied(name, error.message);
        done(error, ...addresses);
      });
    };
  }

  #roomOf(namespace: string): NamespaceRoom {
    const room = this.#rooms.get(namespace) ?? new NamespaceRoom();
    this.#rooms.set(namespace, room);
    return room;
  }

  async #open(namespace: string, name: string, url: string, key: Key): Promise<Client> {
    const fingerprint = this.#fingerprint(url, key);
    const lastClient = this.#clients.get(name);
    if (lastClient?.fingerprint === fingerprint) return lastClient.client;
    const time = this.clockOf(name);
    const onCall = ({ date, durationMs }: CallReport): void => {
      time.heard(date, durationMs);
    };
    const room = this.#roomOf(namespace);
    // What was read with another key, or from another address, is not kept.
    room.forget(name);
    const lookup = this.#lookupFor(name);
    const options = { ...this.#bounds(), lookup, url, manager: managerName(name), onCall, room: room.of(name) };
    const client = 'keys' in key ? new ExchangingClient(options, key.keys) : createClient({ ...options, ...key });
    this.#clients.set(name, { url, fingerprint, client });
    await lastClient?.client.close();
    return client;
  }

  #fingerprint(url: string, key: Key): string {
    const parts = 'keys' in key ? [url, this.#numberOf(key.keys)] : [url, key.keyId, key.keySecret];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  #numberOf(keys: ExchangedKeySource): number {
    const number = this.#numbers.get(keys) ?? this.#numbers.size;
    this.#numbers.set(keys, number);
    return number;
  }

  /** The bounds that all clients share. */
  #bounds() {
    const { signal, connections, answerMs, clock } = this.#options;
    const wait = async (ms: number, until: AbortSignal = signal): Promise<void> => {
      if (!(await sleep(clock, ms, until))) until.throwIfAborted();
    };
    return {
      maxAnswerBytes,
      connections,
      signal,
      // Few attempts: the operator tries again later, with everything that changed meanwhile.
      retries: { attempts: 2 },
      timeouts: { headersMs: answerMs, answerMs: answerMs * toWholeAnswer },
      sleep: wait,
      lookup: this.#addresses?.lookup,
    } satisfies Partial<ClientOptions>;
  }
}
