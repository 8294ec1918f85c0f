import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fastify from 'fastify';
import { closeServer } from '../../../server/http/close-server.ts';
import { watchConnections } from '../../../server/http/connections.ts';

/** A server whose `/busy` holds the event loop for `busyMs`, and whose `/large` answers 32 MiB. */
async function startServer(busyMs: number) {
  const app = fastify();
  const connections = watchConnections(app.server, 'connection', {
    perAddress: 1000,
    trustedProxies: [],
    unreadMs: 60_000,
  });
  let answered = 0;
  app.get('/busy', () => {
    const end = performance.now() + busyMs;
    while (performance.now() < end);
    return 'done';
  });
  app.get('/large', async (_request, reply) => {
    reply.raw.once('prefinish', () => (answered += 1));
    return reply.send(Buffer.alloc(32 * 1024 * 1024));
  });
  await app.listen({ port: 0 });
  after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { app, connections, port, answered: () => answered };
}

/**
 * Runs a client in a thread of its own, so that it can send while the server's event loop is held. It opens connections, sends
 * a request on each, sets `sent` to 1, and posts what came back on each.
 */
function startClient(port: number, count: number): { sent: Int32Array; answers: Promise<string[]> } {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { connect } = require('node:net');
    const { parentPort, workerData: { port, count, sent } } = require('node:worker_threads');
    const clients = Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      const connected = new Promise((resolve) => socket.once('connect', resolve)).then(
        () => new Promise((resolve) => socket.write('GET /busy HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n', resolve)),
      );
      let text = '';
      const answer = new Promise((resolve) => {
        socket.on('data', (data) => { text += data; });
        socket.on('error', (error) => { text += error.message; });
        socket.on('close', () => resolve(text));
      });
      return { connected, answer };
    });
    Promise.all(clients.map(({ connected }) => connected)).then(() => {
      Atomics.store(sent, 0, 1);
      Atomics.notify(sent, 0);
    });
    Promise.all(clients.map(({ answer }) => answer)).then((answers) => parentPort.postMessage(answers));
  `;
  const worker = new Worker(source, { eval: true, workerData: { port, count, sent } });
  return { sent, answers: once(worker, 'message').then(([answers]) => answers as string[]) };
}

describe('a server that closes', () => {
  it('answers every request in its accept queue, although this takes longer than its limit', async () => {
    const { app, connections, port } = await startServer(100);
    const { sent, answers } = startClient(port, 8);
    // The event loop accepts none of them until the kernel has all of them, with their requests.
    assert.equal(Atomics.wait(sent, 0, 0, 30_000), 'ok');
    await closeServer(app, connections, { graceMs: 0, limitMs: 400 });
    assert.deepEqual(
      (await answers).map((answer) => answer.split('\r\n', 1)[0]),
      Array.from({ length: 8 }, () => 'HTTP/1.1 200 OK'),
    );
  });

  it('sends an answer to its end, although the client takes it only after the grace period', async () => {
    const { app, connections, port, answered } = await startServer(0);
    const socket = connect(port, '127.0.0.1').pause();
    await once(socket, 'connect');
    socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    while (answered() === 0) await sleep(5);
    let bytes = 0;
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
    });
    socket.pause();
    const closed = closeServer(app, connections, { graceMs: 50 });
    await sleep(300);
    socket.resume();
    await Promise.all([once(socket, 'close'), closed]);
    assert.ok(bytes > 32 * 1024 * 1024, `${bytes} bytes arrived`);
  });

  it('closes the connection of a client that never takes its answer, at its limit', async () => {
    const { app, connections, port, answered } = await startServer(0);
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    while (answered() === 0) await sleep(5);
    await closeServer(app, connections, { graceMs: 10, limitMs: 200 });
    socket.destroy();
  });
});
