import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import type { Replicas } from '../store.ts';
import type { Send } from './executor.ts';
import { connectionConfig } from './pool.ts';

const channel = 'rolecall';

/** The pause before a lost connection is reopened, in milliseconds. */
const pause = 1000;

/** Notifies replicas by NOTIFY, and receives by LISTEN on its own connection, which opens with the first listener. */
export class Notifier implements Replicas {
  readonly #uri: ConnectionUri;
  readonly #send: Send;
  readonly #end = new AbortController();
  readonly #listeners = new Set<() => void>();
  #listening: Promise<void> | undefined;

  constructor(uri: ConnectionUri, send: Send) {
    this.#uri = uri;
    this.#send = send;
  }

  notify(): void {
    // A replica that misses the notification polls a little later.
    this.#send({ text: `NOTIFY ${channel}` }).catch(() => undefined);
  }

  onNotified(listener: () => void): void {
    this.#listeners.add(listener);
    this.#listening ??= this.#listen();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#listening;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#end;
    const callListeners = (): void => {
      for (const listener of this.#listeners) listener();
    };
    while (!signal.aborted) {
      const config = connectionConfig(this.#uri, { name: 'rolecall listen' });
      await listenUntilEnd(config, signal, callListeners).catch(() => undefined);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Listens until the connection ends. */
async function listenUntilEnd(config: pg.ClientConfig, signal: AbortSignal, onNotification: () => void): Promise<void> {
  const client = new pg.Client(config);
  const ended = Promise.withResolvers<undefined>();
  client.on('error', () => undefined);
  client.on('end', () => {
    ended.resolve(undefined);
  });
  client.on('notification', onNotification);
  const stop = (): void => {
    void client.end();
  };
  try {
    await client.connect();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await client.query(`LISTEN ${channel}`);
    // For notifications that were missed before.
    onNotification();
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
