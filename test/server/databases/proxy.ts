import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a database, to break what is between. */
export interface Proxy {
  port: number;
  /** Bytes that came from the database, over all connections. */
  passed: () => number;
  /** Connections that were made. */
  connections: () => number;
  /** Passes nothing on any more, in either direction, and closes nothing. */
  freeze: () => void;
  /** Closes every connection at once, as a database that dies. */
  cut: () => void;
  /** Cuts once this many bytes have come from the database. */
  cutAfter: (bytes: number) => void;
  close: () => Promise<void>;
}

/** @param host the address of this machine to listen on, as in 127.0.0.2 */
export async function startProxy(target: { host: string; port: number }, host = '127.0.0.1'): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let [passed, limit, made] = [0, Infinity, 0];
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer((near) => {
    made += 1;
    const far = connect(target.port, target.host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    far.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      if (passed > limit) cut();
    });
    near.pipe(far).pipe(near);
  }).listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    passed: () => passed,
    connections: () => made,
    cut,
    cutAfter: (bytes) => {
      limit = passed + bytes;
    },
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
