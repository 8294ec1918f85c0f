import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import type { Replicas } from '../store.ts';
import type { Send } from './executor.ts';
import { connectionConfig } from './pool.ts';

const channel = 'rolecall';

/** How long to wait until a lost connection is made again, in milliseconds. */
const pause = 1000;

export interface Notifier extends Replicas {
  close(): Promise<void>;
}

/** Wakes replicas by NOTIFY, and hears it by LISTEN on a connection of its own, which is made once somebody listens. */
export function createNotifier(uri: ConnectionUri, send: Send): Notifier {
  const end = new AbortController();
  const listeners = new Set<() => void>();
  let listening: Promise<void> | undefined;
  const ring = (): void => {
    for (const listener of listeners) listener();
  };

  async function listen(): Promise<void> {
    while (!end.signal.aborted) {
      await hear(connectionConfig(uri, { name: 'rolecall listen' }), end.signal, ring).catch(() => undefined);
      await sleep(pause, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    notify: () => {
      // Who does not hear it looks by itself, a little later.
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
async function hear(config: pg.ClientConfig, signal: AbortSignal, ring: () => void): Promise<void> {
  const client = new pg.Client(config);
  const ended = Promise.withResolvers<undefined>();
  client.on('error', () => undefined);
  client.on('end', () => {
    ended.resolve(undefined);
  });
  client.on('notification', ring);
  const stop = (): void => {
    void client.end();
  };
  try {
    await client.connect();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await client.query(`LISTEN ${channel}`);
    // For what was rung while nobody heard.
    ring();
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
