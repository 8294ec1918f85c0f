import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { add } from '../counts.ts';
import { timeLimits } from './limits/limits.ts';

export interface ConnectionLimits {
  /** Open connections of one client address; more are closed as they come. */
  readonly perAddress: number;
  /** Addresses and networks of proxies, which speak for many clients and have no share. */
  readonly trustedProxies: readonly string[];
  /** Time in which a client has to read `progress` bytes of an answer, or its rest, in milliseconds. */
  readonly unreadMs: number;
}

/** Bytes of an answer that a client has to read within its time limit. Larger writes would hide its progress. */
export const progress = 128 * 1024;

/** Pipelined requests that may wait on one connection, and the bytes they may hold. */
const mostWaiting = { requests: 100, bytes: 256 * 1024 };

/** Bytes of a body that Node reads before anything takes it. */
const bodyBuffer = 64 * 1024;

export interface Connections {
  /** Counts the open connections. */
  readonly count: () => number;
  /** True if any client has something left to read. */
  readonly hasUnread: () => boolean;
  /** Closes connections whose clients have sent nothing. Node 24 does not count them as idle. */
  readonly closeSilent: () => void;
}

/**
 * Counts the connections of a server, limits each client address to its share, and closes connections whose clients do not
 * read. Node's timeouts end with the request: an answer that is never read would hold its connection for ever.
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
  return { count: () => open, ...closeUnread(server, event, unreadMs) };
}

interface Reading {
  /** Bytes that the client had read when progress was last seen. */
  taken: number;
  /** Time of that reading; undefined while the client has read everything. */
  since: number | undefined;
}

/**
 * Closes connections whose clients read less than `progress` bytes within `unreadMs` while more is waiting for them.
 */
export function closeUnread(
  server: Server,
  event: 'connection' | 'secureConnection',
  unreadMs: number,
): Pick<Connections, 'hasUnread' | 'closeSilent'> {
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
  return {
    hasUnread: () => readers.keys().some(({ writableLength }) => writableLength > 0),
    closeSilent: () => {
      for (const socket of readers.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

type Pipelined = Socket & { [waiting]?: { requests: number; bytes: number } };
const waiting = Symbol('waiting');

/**
 * Handles the requests of a connection one at a time, each after the answer before it was read. A client that pipelines
 * requests then has one answer in memory, not all of them. What follows an answer that closes the connection is not handled.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  return (request, response) => {
    // Behind an answer that closes the connection, no one would learn what became of it.
    if (request.socket.writableEnded) return;
    // Node gives a response its socket when the one before it is done.
    if (response.socket !== null) handle(request, response);
    else wait(handle, request, response);
  };
}

function wait(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  const socket: Pipelined = request.socket;
  const held = socket[waiting] ?? { requests: 0, bytes: 0 };
  socket[waiting] = held;
  const bytes = bytesOf(request);
  held.requests += 1;
  held.bytes += bytes;
  if (held.requests > mostWaiting.requests || held.bytes > mostWaiting.bytes) {
    socket.destroy();
    return;
  }
  response.once('socket', () => {
    held.requests -= 1;
    held.bytes -= bytes;
    handle(request, response);
  });
}

/** Counts the bytes that a request may hold before it is handled. */
function bytesOf({ url = '', rawHeaders, headers }: IncomingMessage): number {
  const head = rawHeaders.reduce((sum, { length }) => sum + length, url.length);
  const body = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyBuffer;
  return head + Math.min(body, bodyBuffer);
}

/** The network that counts as one client: an IPv4 address, or the /64 that an IPv6 customer has. */
export function networkOf(address: string): string {
  // Node tells the version by a long pattern: for most clients, a look for a colon is enough.
  if (!address.includes(':') || address.startsWith('::ffff:') || !isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const start = head.split(':');
  const end = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array.from({ length: 8 - start.length - end.length }, () => '0') : [];
  return [...start, ...zeros, ...end].slice(0, 4).join(':');
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
