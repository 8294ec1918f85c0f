import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { timeLimits } from './limits.ts';

export interface ConnectionLimits {
  /** Open connections of one client address; more are closed as they come. */
  readonly perAddress: number;
  /** Addresses and networks that speak for many clients, and so have no share. */
  readonly trustedProxies: readonly string[];
  /** How long a client may leave an answer without taking `progress` bytes of it or its rest, in milliseconds. */
  readonly unreadMs: number;
}

/** What a client has to take of an answer within the time that it has, in bytes. Larger writes would hide its progress. */
export const progress = 64 * 1024;

/** Requests that may wait on one connection for the answers before theirs. */
const mostWaiting = 100;

export interface Connections {
  /** How many are open. */
  readonly count: () => number;
  /** Whether any has bytes of an answer that the client has not taken. */
  readonly hasUnread: () => boolean;
}

/**
 * Counts the connections of a server, gives each client address its share of them, and closes those whose clients do not
 * read: the timeouts of Node end with the request, and an answer that is never read would hold its connection for ever.
 * The watch ends with the server.
 *
 * @param event `secureConnection` for a server that speaks TLS
 */
export function watchConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  { perAddress, trustedProxies, unreadMs }: ConnectionLimits,
): Connections {
  const proxies = toBlockList(trustedProxies);
  const counts = new Map<string, number>();
  let open = 0;
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const network = isIn(proxies, remoteAddress) ? undefined : networkOf(remoteAddress);
    open += 1;
    if (network !== undefined) add(counts, network, 1);
    socket.once('close', () => {
      open -= 1;
      if (network !== undefined) add(counts, network, -1);
    });
    if (network !== undefined && (counts.get(network) ?? 0) > perAddress) socket.destroy();
  });
  return { count: () => open, hasUnread: closeUnread(server, event, unreadMs) };
}

/** Adds to the count of a key, and forgets a key whose count is back at 0. */
export function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

interface Reading {
  /** Bytes that the client has taken, by the last look that saw progress. */
  taken: number;
  /** When that was; undefined while nothing waits to be taken. */
  since: number | undefined;
}

/**
 * Closes connections whose clients take less than `progress` bytes within `unreadMs` while more waits for them.
 *
 * @returns tells whether anything waits for a client at the moment
 */
export function closeUnread(server: Server, event: 'connection' | 'secureConnection', unreadMs: number): () => boolean {
  const readers = new Map<Socket, Reading>();
  server.on(event, (socket: Socket) => {
    readers.set(socket, { taken: 0, since: undefined });
    socket.once('close', () => readers.delete(socket));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, reading] of readers) {
        const taken = socket.bytesWritten - socket.writableLength;
        if (socket.writableLength === 0) reading.since = undefined;
        else if (reading.since === undefined || taken - reading.taken >= progress)
          Object.assign(reading, { taken, since: now });
        else if (now - reading.since >= unreadMs) socket.destroy();
      }
    },
    Math.min(timeLimits.lookedEvery, unreadMs / 4),
  );
  timer.unref();
  server.once('close', () => {
    clearInterval(timer);
  });
  return () => readers.keys().some(({ writableLength }) => writableLength > 0);
}

type Pipelined = Socket & { [waiting]?: number };
const waiting = Symbol('waiting');

/**
 * Hands on the requests of a connection one after the other, each when the answer before it has been taken. A client that
 * pipelines requests then has one answer in memory at a time, not as many as it asks for.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  return (request, response) => {
    // Node gives a response its socket when the one before it is done.
    if (response.socket !== null) handle(request, response);
    else wait(handle, request, response);
  };
}

function wait(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  const socket: Pipelined = request.socket;
  const count = (socket[waiting] ?? 0) + 1;
  socket[waiting] = count;
  if (count > mostWaiting) {
    socket.destroy();
    return;
  }
  response.once('socket', () => {
    socket[waiting] = (socket[waiting] ?? 1) - 1;
    handle(request, response);
  });
}

/** What counts as one client: an address of IPv4, or the /64 of IPv6 that one customer has. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const before = head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array.from({ length: 8 - before.length - after.length }, () => '0') : [];
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

function isIn(networks: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
