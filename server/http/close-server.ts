import type { FastifyInstance } from 'fastify';

/** How long requests that run may take once the service is closing, in milliseconds. */
const closingLimit = 10_000;

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
  if (graceMs > 0) {
    server.closeIdleConnections = () => undefined;
    timers.push(
      setTimeout(() => {
        // A process that was kept waiting comes to its timers before it reads what has come meanwhile: a connection whose
        // request it has not seen yet looks idle.
        void turn().then(closeIdle);
      }, graceMs),
    );
  }
  try {
    // What stands in the queue of connections is taken: to stop listening would reset it.
    await turn();
    await app.close();
  } finally {
    timers.forEach(clearTimeout);
  }
}

/** A whole turn of the event loop, with all that is to be read and accepted. */
async function turn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
