import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Something that listens on a port of 127.0.0.1 and is no database. */
export interface Peer {
  port: number;
  /** Connections that are open now. */
  open: () => number;
  /** All bytes that clients sent. */
  received: () => Buffer;
  close: () => Promise<void>;
}

/** Listens and does with each connection what `greet` says; without it, accepts and stays silent. */
export async function startPeer(greet: (socket: Socket) => void = () => undefined): Promise<Peer> {
  const sockets = new Set<Socket>();
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server.address()),
    open: () => sockets.size,
    received: () => Buffer.concat(chunks),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const listener = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.stdout.write(String(server.address().port));
});`;

/** A port that drops every attempt to connect: its process is stopped, and its queue of connections full. */
export async function startBlackHole(): Promise<Pick<Peer, 'port' | 'close'>> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  child.kill('SIGSTOP');
  const queued: Socket[] = [];
  for (let connected = true; connected; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    queued.push(socket);
    const connecting = once(socket, 'connect').then(() => true);
    // After the pause, one more turn: a process that was held up runs its timers before it hears of connections.
    const waited = sleep(300).then(() => Promise.race([connecting, nextTurn().then(() => nextTurn(false))]));
    connected = await Promise.race([connecting, waited]);
  }
  return { port, close: () => closeBlackHole(child, queued) };
}

async function closeBlackHole(child: ChildProcess, queued: Socket[]): Promise<void> {
  for (const socket of queued) socket.destroy();
  child.kill('SIGKILL');
  await once(child, 'close');
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
