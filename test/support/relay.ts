import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes bytes on between two ends, and can treat connections as networks do. */
export interface Relay {
  readonly port: number;
  /** Cuts all connections. */
  readonly cut: () => void;
  /** Lets the connections that are open hang: nothing more comes through, and no one is told. New ones are well. */
  readonly hang: () => void;
  /** Whether connections are refused. */
  readonly down: (isDown: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param target a port of this machine */
export async function startRelay(target: number): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const hung = new Set<Socket>();
  // What passes on bytes must not gather them: an answer would come 40 ms late, and a test that waits for silence would take that for one.
  const relay = createServer({ noDelay: true }, (inner) => {
    const outer = connect({ port: target, host: '127.0.0.1', noDelay: true });
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
    inner.pipe(outer);
    outer.pipe(inner);
  });
  const port = await listenOn(relay);
  const cut = (): void => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy();
  };
  return {
    port,
    cut,
    hang: () => {
      for (const pair of pairs) {
        for (const socket of pair) {
          socket.unpipe();
          socket.pause();
          hung.add(socket);
        }
      }
    },
    down: async (isDown: boolean) => {
      if (isDown) {
        const closed = once(relay, 'close');
        relay.close();
        cut();
        await closed;
      } else {
        relay.listen(port, '127.0.0.1');
        await once(relay, 'listening');
      }
    },
    stop: async () => {
      for (const socket of hung) socket.destroy();
      cut();
      if (!relay.listening) return;
      const closed = once(relay, 'close');
      relay.close();
      await closed;
    },
  };
}

/** Lets a server listen on a free port of this machine, and gives the port. */
export async function listenOn(server: Pick<Server, 'listen' | 'address'> & NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a port, it has an address with one.
  return (server.address() as AddressInfo).port;
}
