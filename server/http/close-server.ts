import type { FastifyInstance } from 'fastify';

/** How long requests that run may take once the service is closing, in milliseconds. */
const closingLimit = 10_000;

/** How many connections the kernel lets wait: Node asks for so many. Clients that come without a pause would never end. */
const longestQueue = 511;

/** What a turn takes that has nothing to do, and how long to wait for one, in milliseconds. */
const [quick, longestWait] = [5, 1_000];

/**
 * Stops listening, answers what was asked, and closes each connection with its answer. Bounded in time.
 *
 * @param graceMs how long connections without a request are kept. Node would close them at once, and with them the
 *   requests that are on their way: their clients could not tell whether they were done.
 */
export async function closeServer(app: FastifyInstance, graceMs: number): Promise<void> {
  const { server } = app;
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  const timers = [setTimeout(closeAll, closingLimit)];
  if (graceMs > 0) server.closeIdleConnections = () => undefined;
  try {
    await acceptWaiting(app);
    if (graceMs > 0) {
      timers.push(
        setTimeout(() => {
          void quickTurn().then(closeIdle);
        }, graceMs),
      );
    }
    // In the same turn, which has found nobody waiting; Fastify would come to it some turns later.
    const closed = new Promise((resolve) => server.close(resolve));
    await Promise.all([closed, app.close()]);
  } finally {
    timers.forEach(clearTimeout);
  }
}

/**
 * Takes the connections that stand in the kernel's queue, whose requests may be in it as well: to stop listening would reset
 * them all. A turn of the event loop takes one of them only, so it is as many turns as it takes.
 */
async function acceptWaiting({ server }: FastifyInstance): Promise<void> {
  let accepted = 0;
  const count = (): void => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before !== accepted && accepted < longestQueue; ) {
    before = accepted;
    await turn();
  }
  server.off('connection', count);
}

/**
 * Ends with a turn in which next to nothing was done. A connection whose request is not read yet looks idle: a process that was
 * kept waiting comes to its timers before it reads, and while a commit takes its time more comes in.
 */
async function quickTurn(): Promise<void> {
  const latest = performance.now() + longestWait;
  let begun: number;
  do {
    begun = performance.now();
    await turn();
  } while (performance.now() - begun > quick && performance.now() < latest);
}

/** A whole turn of the event loop, with all that is to be read and accepted. */
async function turn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
