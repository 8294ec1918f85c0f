/** The workspace that a Workspace object stands for: its address, its key, and a client that is kept while both stay. */

import { createHash } from 'node:crypto';
import { type Client, createClient, longestManager, OptionsError } from '@rolecall/api';
import type { DefinitionOf } from '@rolecall/crds';
import type { NamedObjects } from '../resources/secrets-informer.ts';
import { type Clock, sleep } from '../runtime/clock.ts';

export type Connected =
  | { readonly client: Client; readonly url: string }
  | { readonly reason: string; readonly message: string };

/** How the operator names itself to the service. @param key namespace and name of the Workspace */
export const managerName = (key: string): string => `operator/${key}`.slice(0, longestManager);

export interface Connections extends AsyncDisposable {
  /**
   * Finds the way to a workspace; says why there is none.
   *
   * @param isLeaving whether the Workspace is being deleted: then its Secret may have gone before it, as with a namespace, and
   *   the key that was last used there is used to remove what is left
   */
  readonly connect: (workspace: DefinitionOf<'Workspace'>, namespace: string, isLeaving: boolean) => Promise<Connected>;
}

interface Kept {
  readonly url: string;
  readonly fingerprint: string;
  readonly client: Client;
}

export interface ConnectionSettings {
  /** Ends every call of every client. */
  readonly signal: AbortSignal;
  /** How many calls of one service are under way at a time. */
  readonly connections: number;
  /** How long a service may take until it begins to answer, in milliseconds. */
  readonly answerMs: number;
  /** By which a call that failed waits before it is tried again. */
  readonly clock: Clock;
}

export function createConnections(named: NamedObjects, settings: ConnectionSettings): Connections {
  const { signal, connections, answerMs, clock } = settings;
  const kept = new Map<string, Kept>();
  const wait = async (ms: number, until: AbortSignal = signal): Promise<void> => {
    if (!(await sleep(clock, ms, until))) until.throwIfAborted();
  };

  async function open(key: string, url: string, keyId: string, keySecret: string): Promise<Client> {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([url, keyId, keySecret]))
      .digest('hex');
    const before = kept.get(key);
    if (before?.fingerprint === fingerprint) return before.client;
    // The operator itself tries again later, with everything that changed meanwhile taken into account.
    const bounds = { connections, retries: { attempts: 2 }, timeouts: { headersMs: answerMs }, sleep: wait };
    const client = createClient({ url, keyId, keySecret, manager: managerName(key), signal, ...bounds });
    kept.set(key, { url, fingerprint, client });
    await before?.client.close();
    return client;
  }

  return {
    async connect({ metadata, spec }, namespace, isLeaving) {
      const { url, credentialsFrom, caFile } = spec;
      const reference = credentialsFrom?.secretKeyRef;
      // The operator's own environment and files belong to whoever runs it, not to whoever may make objects in a namespace.
      if (url === undefined || reference === undefined || caFile !== undefined) {
        const message =
          'in a cluster, spec.url and spec.credentialsFrom.secretKeyRef are needed, and spec.caFile cannot be used';
        return { reason: 'Incomplete', message };
      }
      const found = await named.read('secrets', namespace, reference.name);
      if ('problem' in found) {
        const last = kept.get(`${namespace}/${metadata.name}`);
        if (isLeaving && found.isMissing && last?.url === url) return { client: last.client, url };
        return { reason: 'SecretNotFound', message: `spec.credentialsFrom: ${found.problem}` };
      }
      const [id, secret] = [found.data[reference.keyId], found.data[reference.keySecret]];
      if (id === undefined || secret === undefined) {
        const message = `spec.credentialsFrom: the Secret ${reference.name} lacks the key ${id === undefined ? reference.keyId : reference.keySecret}`;
        return { reason: 'SecretNotFound', message };
      }
      try {
        return { client: await open(`${namespace}/${metadata.name}`, url, id.trim(), secret.trim()), url };
      } catch (error) {
        if (error instanceof OptionsError) return { reason: 'Invalid', message: error.message };
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...kept.values()].map(({ client }) => client.close()));
    },
  };
}
