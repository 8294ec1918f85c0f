// Over the embedded store only: which store there is makes no difference to connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from '../../../server/http/connections.ts';
import { listenOn } from '../../support/relay.ts';
import { assertProblem } from '../support/match.ts';
import { metricsOf, valueOf } from '../support/metrics.ts';
import { sendRaw } from '../support/raw-http.ts';
import { basic, startTestService, type TestService } from '../support/service.ts';

const metricsListener = { host: '127.0.0.1', port: 0 };
const document = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n';

/** Connects, and takes nothing that comes until it is told to. */
async function open(service: TestService, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.pause().on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const inFlight = async (service: TestService) =>
  valueOf(await metricsOf(service), 'rolecall_http_requests_in_flight') ?? NaN;

const connections = async (service: TestService) => valueOf(await metricsOf(service), 'rolecall_http_connections');

describe('a client that does not read its answers', async () => {
  const service = await startTestService({ limits: { unreadMs: 2000 }, metricsListener });
  const other = await startTestService({ limits: { unreadMs: 2000 }, metricsListener });

  it('takes no slot from others, and its connections are closed', async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => open(service)));
    for (const socket of sockets) socket.write(document.repeat(90));
    // Time for the service to read all of it.
    for (let count = 0; count < 20; count += 1) {
      assert.equal((await service.call('GET', '/person')).status, 200);
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await sleep(20);
    }
    assert.ok((await inFlight(service)) <= 8);
    while (((await connections(service)) ?? 0) >= 8) await sleep(50);
    for (const socket of sockets) socket.destroy();
  });

  it('is closed although it takes a few bytes now and then, or sends some', async () => {
    const sockets = [await open(other), await open(other)];
    const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    for (const socket of sockets) socket.write(document.repeat(90));
    const trickle = setInterval(() => {
      sockets[0]?.read(1);
      sockets[1]?.write('GET /healthz HTTP/1.1\r\n');
    }, 50);
    while ((await connections(other)) !== 0) await sleep(50);
    clearInterval(trickle);
    // It learns that it was closed when it has read what came before that.
    for (const socket of sockets) socket.resume();
    await closed;
  });

  it('is waited for while it takes enough', async () => {
    const socket = await open(service);
    socket.write(document.repeat(40));
    const { headers } = await fetch(`${service.url}/openapi.json`, { method: 'HEAD' });
    const length = 40 * Number(headers.get('content-length'));
    // Longer than a client may leave an answer, and slow enough for the buffers of the kernel to stay full.
    for (let bytes = 0; bytes < length; ) {
      bytes += (socket.read() as Buffer | null)?.length ?? 0;
      assert.equal(socket.destroyed, false);
      await sleep(15);
    }
    socket.destroy();
  });
});

describe('requests that are sent before the answers to those before them', async () => {
  const service = await startTestService({ metricsListener });
  const head = (path: string) =>
    `GET /api/v2${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.keys.admin)}\r\n`;

  it('are answered in their order, what cannot be read after them', async () => {
    const paths = ['/person', '/role/nothing', '/snippet'];
    const answer = await sendRaw(service.url, [`${paths.map((path) => `${head(path)}\r\n`).join('')}nonsense\r\n\r\n`]);
    assert.deepEqual(
      [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '404', '200', '400'],
    );
  });

  it('are worked on one after the other', async () => {
    const body = JSON.stringify({ name: 'a role' });
    const create = `POST /api/v2/role HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.keys.admin)}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const last = `${head('/role').trimEnd()}\r\nconnection: close\r\n\r\n`;
    const answer = await sendRaw(service.url, [`${create}${last}`]);
    assert.match(answer, /HTTP\/1\.1 200 OK[^]*HTTP\/1\.1 200 OK[^]*\[\{"id":"[^"]*","name":"a role"/);
  });

  it('are not taken without end: a connection with a hundred that wait is closed', async () => {
    const answer = await sendRaw(service.url, [`${head('/person')}\r\n`.repeat(500)]);
    assert.ok([...answer.matchAll(/HTTP\/1\.1/g)].length < 500);
    assert.equal((await service.call('GET', '/person')).status, 200);
  });
});

describe('pipelined requests behind one that takes its time', () => {
  /** Sends them to a server that answers the first one last. @returns how many were read, and how many answered */
  async function pipeline(requests: readonly string[]): Promise<{ read: number; answered: number }> {
    const answerFirst = Promise.withResolvers<undefined>();
    let read = 0;
    const server = createServer(
      oneAtATime((request, response) => {
        request.resume();
        const isFirst = request.headers['first'] !== undefined;
        void (isFirst ? answerFirst.promise : Promise.resolve()).then(() => response.end('!'));
      }),
    ).on('request', () => (read += 1));
    const port = await listenOn(server);
    const parts = ['GET / HTTP/1.1\r\nhost: x\r\nfirst: \r\n\r\n', ...requests];
    const connected = once(server, 'connection');
    const answers = sendRaw(`http://127.0.0.1:${port}`, parts, new RegExp(`(?:[^!]*!){${parts.length}}`));
    const [socket] = (await connected) as [Socket];
    while (read < parts.length && !socket.destroyed) await sleep(10);
    answerFirst.resolve(undefined);
    const answered = [...(await answers).matchAll(/!/g)].length;
    server.close();
    return { read, answered };
  }

  const get = (header: number) => `GET / HTTP/1.1\r\nhost: x\r\npadding: ${'a'.repeat(header)}\r\n\r\n`;
  const post = (body: number) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body}\r\n\r\n${'a'.repeat(body)}`;

  it('may hold 256 KiB', async () => {
    assert.deepEqual(await pipeline(Array.from({ length: 16 }, () => get(15_000))), { read: 17, answered: 17 });
    assert.deepEqual(await pipeline(Array.from({ length: 90 }, () => post(1000))), { read: 91, answered: 91 });
  });

  for (const [what, request] of [
    ['headers', get(15_000)],
    ['bodies', post(15_000)],
  ] as const) {
    it(`hold no more, counted with their ${what}: the connection is closed`, async () => {
      const { read, answered } = await pipeline(Array.from({ length: 60 }, () => request));
      assert.ok(read < 25, `${read} requests were read`);
      assert.equal(answered, 0);
    });
  }
});

describe('the share of a client address', async () => {
  const limits = { maxInFlight: 64, maxConnections: 64 };
  const behind = await startTestService({ limits, metricsListener, trustedProxies: ['127.0.0.0/8'] });
  const service = await startTestService({ limits, metricsListener });

  it('of the requests at a time is a quarter, by the address that a trusted proxy tells', async () => {
    const slow = await Promise.all(Array.from({ length: 20 }, () => open(behind)));
    for (const socket of slow) {
      socket.write(
        `POST /api/v2/role HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 10.0.0.1\r\nauthorization: ${basic(behind.keys.admin)}\r\ncontent-length: 20\r\n\r\n{`,
      );
    }
    while ((await inFlight(behind)) !== 16) await sleep(10);
    const from = (address: string) => behind.call('GET', '/person', { headers: { 'x-forwarded-for': address } });
    assertProblem(await from('10.0.0.1'), 429, 'too_many_requests');
    assert.equal((await from('10.0.0.2')).status, 200);
    assert.ok((valueOf(await metricsOf(behind), 'rolecall_http_refused_total{reason="share"}') ?? 0) >= 5);
    for (const socket of slow) socket.destroy();
    while ((await from('10.0.0.1')).status !== 200) await sleep(10);
  });

  it('of the connections is a quarter; a trusted proxy may have all', async () => {
    const mine = await Promise.all(Array.from({ length: 16 }, () => open(service)));
    const more = await open(service);
    more.resume();
    await once(more, 'close');
    const other = await open(service, '127.0.0.2');
    other.resume().write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(other, 'data');
    for (const socket of [...mine, other]) socket.destroy();
    const proxied = await Promise.all(Array.from({ length: 40 }, () => open(behind)));
    while (((await connections(behind)) ?? 0) < 40) await sleep(10);
    for (const socket of proxied) socket.destroy();
  });
});

describe('a path that the service does not have', async () => {
  const service = await startTestService();

  it('is answered before the body, which no one without a key can make the service hold', async () => {
    const head =
      'POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n\r\n{';
    assert.match(await sendRaw(service.url, [head], /\r\n\r\n.*\}$/s), /^HTTP\/1\.1 404 /);
    const wrongMethod = head.replace('/nothing', '/healthz');
    assert.match(await sendRaw(service.url, [wrongMethod], /\r\n\r\n.*\}$/s), /^HTTP\/1\.1 405 /);
  });
});

describe('a header that says who asks for what', async () => {
  const service = await startTestService();

  it('is refused where it is there twice', async () => {
    const key = `authorization: ${basic(service.keys.admin)}\r\n`;
    for (const [name, twice] of [
      ['authorization', `host: x\r\n${key}Authorization: ${basic(service.keys.read)}\r\n`],
      ['authorization', `host: x\r\n${key}${key}`],
      ['host', `host: x\r\nHOST: y\r\n${key}`],
      ['content-type', `host: x\r\n${key}content-type: application/json\r\ncontent-type: text/plain\r\n`],
      ['idempotency-key', `host: x\r\n${key}idempotency-key: one\r\nIdempotency-Key: two\r\n`],
    ]) {
      const answer = await sendRaw(service.url, [`GET /api/v2/person HTTP/1.1\r\n${twice}connection: close\r\n\r\n`]);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, new RegExp(`there is more than one ${name} header`));
    }
  });
});
