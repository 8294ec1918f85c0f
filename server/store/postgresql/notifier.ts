import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import type { Replicas } from '../store.ts';
import type { Send } from './executor.ts';
import { connectionConfig } from './pool.ts';

const channel = 'rolecall';

/** The pause before a lost connection is reopened, in milliseconds. */
const pause = 1000;

export interface Notifier extends Replicas {
  close(): Promise<void>;
}

/** Notifies replicas by NOTIFY, and receives by LISTEN on its own connection, which opens with the first listener. */
export function createNotifier(uri: ConnectionUri, send: Send): Notifier {
  const end = new AbortController();
  const listeners = new Set<() => void>();
  let listening: Promise<void> | undefined;
  const callListeners = (): void => {
    for (const listener of listeners) listener();
  };

  async function listen(): Promise<void> {
    while (!end.signal.aborted) {
      await listenUntilEnd(connectionConfig(uri, { name: 'rolecall listen' }), end.signal, callListeners).catch(
        () => undefined,
      );
      await sleep(pause, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    notify: () => {
      // A replica that misses the notification polls a little later.
      send({ text: `NOTIFY ${channel}` }).catch(() => undefined);
    },
    onNotified: (listener) => {
      listeners.add(listener);
      listening ??= listen();
    },
    close: async () => {
      end.abort();
      await listening;
    },
  };
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
