import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

/** Time limit of requests once the service has stopped listening, in milliseconds. */
const closingLimit = 10_000;

/** Connections that the kernel's accept queue holds: Node asks for this many. Without a bound, accepting could go on for ever. */
const longestQueue = 511;

/** An event loop turn with nothing to do takes less than `quick`; a quick turn is waited for at most `longestWait`. In milliseconds. */
const [quick, longestWait] = [5, 1_000];

/** Interval at which idle connections are closed after the grace period, in milliseconds. */
const closeIdleEvery = 50;

export interface ClosingTimes {
  /**
   * Time that connections without a request stay open, in milliseconds. Node would close them at once, together with requests
   * that are already under way: their clients could not tell whether these were done.
   */
  readonly graceMs: number;
  /** Time limit of requests once the server has stopped listening, in milliseconds; default 10,000. */
  readonly limitMs?: number;
}

/** Stops listening, answers the requests that were sent, and closes each connection after its answer. Bounded in time. */
export async function closeServer(
  app: FastifyInstance,
  connections: Pick<Connections, 'hasUnread' | 'closeSilent'>,
  { graceMs, limitMs = closingLimit }: ClosingTimes,
): Promise<void> {
  const { server } = app;
  const closeIdle = server.closeIdleConnections.bind(server);
  // Both Node and Fastify call it as soon as the server closes.
  server.closeIdleConnections = () => undefined;
  await acceptWaiting(server);
  // In the same turn that found the accept queue empty; Fastify would stop listening some turns later.
  const stopped = new Promise((resolve) => server.close(resolve));
  const ended = new AbortController();
  // The limit starts only now: each turn accepts one connection, and with slow commits these turns alone can take longer.
  const closing = closeConnections(server, closeIdle, connections, { graceMs, limitMs, signal: ended.signal });
  try {
    await Promise.all([stopped, app.close()]);
  } finally {
    ended.abort();
    await closing;
  }
}

/** After the grace period closes idle connections, and at the limit all of them. Ends early when the signal aborts. */
async function closeConnections(
  server: Server,
  closeIdle: () => void,
  { hasUnread, closeSilent }: Pick<Connections, 'hasUnread' | 'closeSilent'>,
  { graceMs, limitMs, signal }: Required<ClosingTimes> & { signal: AbortSignal },
): Promise<void> {
  const latest = performance.now() + Math.max(graceMs, limitMs);
  const wait = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  await wait(graceMs);
  while (!signal.aborted && performance.now() < latest) {
    await quickTurn();
    // To Node, a connection whose answer is made but not sent yet is idle: closing it would cut off the answer.
    if (!hasUnread()) closeIdle();
    closeSilent();
    await wait(closeIdleEvery);
  }
  if (signal.aborted) return;
  await quickTurn();
  server.closeAllConnections();
}

/**
 * Accepts the connections in the kernel's accept queue: closing the listening socket would reset them, with any requests
 * they carry. The event loop accepts one connection a turn, so this takes as many turns as there are connections.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let earlierCount = -1; earlierCount !== accepted && accepted < longestQueue; ) {
    earlierCount = accepted;
    await turn();
  }
  server.off('connection', count);
}

/**
 * Waits for a turn in which next to nothing was done. A connection whose request was not read yet looks idle: a process that
 * was held up runs its timers before it reads, and more arrives while a commit takes its time.
 */
async function quickTurn(): Promise<void> {
  const latest = performance.now() + longestWait;
  let begun: number;
  do {
    begun = performance.now();
    await turn();
  } while (performance.now() - begun > quick && performance.now() < latest);
}

/** A whole turn of the event loop, including everything that can be read and accepted. */
async function turn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
