import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { assertProblem } from '../../support/match.ts';
import { metricsOf, valueOf } from '../../support/metrics.ts';
import { basic, startTestService } from '../../support/service.ts';

const metricsListener = { host: '127.0.0.1', port: 0 };
const retryAfter = (answer: { headers: Headers }) => Number(answer.headers.get('retry-after'));

describe('a rate for each key', async () => {
  const service = await startTestService({ limits: { rateLimit: 1, rateBurst: 5 }, metricsListener });
  const { read, write } = service.keys;

  it('refuses what is more with 429 and when to come again, and no other key for it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => service.call('GET', '/person', { key: read })));
    const refused = answers.filter(({ status }) => status === 429);
    // Tokens come back while the requests are under way.
    assert.ok(refused.length > 0 && refused.length <= 7, String(refused.length));
    for (const answer of refused) {
      assertProblem(answer, 429, 'too_many_requests');
      assert.ok(retryAfter(answer) >= 1 && retryAfter(answer) <= 2);
    }
    assert.equal((await service.call('GET', '/person', { key: write })).status, 200);
    const page = await metricsOf(service);
    assert.ok((valueOf(page, 'rolecall_http_refused_total{reason="rate_limit"}') ?? 0) >= refused.length);
  });

  it('is what the client waits for', async () => {
    const key = await createKey({ ...service.store, scope: 'read' });
    const waited: number[] = [];
    const client = createClient({
      url: service.url,
      keyId: key.id,
      keySecret: key.secret,
      random: () => 0,
      sleep: async (ms) => {
        waited.push(ms);
        await sleep(ms);
      },
    });
    for (let count = 0; count < 7; count += 1) await client.call('listPeople', {});
    await client.close();
    assert.ok(waited.length > 0 && waited.every((ms) => ms >= 1000), String(waited));
  });

  it('leaves the probes alone', async () => {
    for (let count = 0; count < 20; count += 1) assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });
});

describe('guessing the secret of a key', async () => {
  const limits = { maxGuesses: { address: 20, key: 5 } };
  const service = await startTestService({ limits, metricsListener, trustedProxies: ['127.0.0.1'] });
  const { admin, read } = service.keys;
  const from = (address: string, key: { id: string; secret: string }) =>
    service.call('GET', '/person', { key, headers: { 'x-forwarded-for': address } });
  const guess = (address: string, id = admin.id) => from(address, { id, secret: 'wrong' });

  it('is refused after a few, unchecked, while the right secret that was used before goes on', async () => {
    assert.equal((await from('10.0.0.1', admin)).status, 200);
    for (let count = 0; count < 5; count += 1) assertProblem(await guess('10.0.0.1'), 401, 'unauthenticated');
    const refused = await guess('10.0.0.1');
    assertProblem(refused, 429, 'too_many_requests');
    assert.ok(retryAfter(refused) >= 1);
    assert.equal((await from('10.0.0.1', admin)).status, 200);
  });

  it('keeps out no one else: not from another address, and no other key from the same', async () => {
    for (let count = 0; count < 8; count += 1) await guess('10.0.0.2');
    assertProblem(await guess('10.0.0.2'), 429, 'too_many_requests');
    assert.equal((await from('10.0.0.3', admin)).status, 200);
    assert.equal((await from('10.0.0.2', read)).status, 200);
  });

  it('with the right secret in the end does not find out', async () => {
    const key = await createKey({ ...service.store, scope: 'read' });
    for (let count = 0; count < 8; count += 1) await guess('10.0.0.4', key.id);
    assertProblem(await from('10.0.0.4', key), 429, 'too_many_requests');
    assert.equal((await from('10.0.0.5', key)).status, 200);
  });

  it('is refused side by side too', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess('10.0.0.6')));
    assert.ok(answers.filter(({ status }) => status === 401).length <= 6);
    assertProblem(await guess('10.0.0.6'), 429, 'too_many_requests');
  });

  it('over many keys is slowed down by address, the whole of a /64 being one', async () => {
    const answers = [];
    for (let count = 0; count < 60; count += 1)
      answers.push(await guess(`2001:db8:0:7::${count.toString(16)}`, `id${count}`));
    const refused = answers.filter(({ status }) => status === 429).length;
    assert.ok(refused > 0, 'none was refused');
    assert.equal((await from('2001:db8:0:7::1', read)).status, 200);
    assert.equal((await guess('2001:db8:0:8::1', 'id')).status, 401);
    assert.ok((valueOf(await metricsOf(service), 'rolecall_http_refused_total{reason="guessing"}') ?? 0) >= refused);
  });

  it('is not told of callers who have no key at all', async () => {
    for (let count = 0; count < 30; count += 1) {
      assertProblem(await service.call('GET', '/person', { key: null }), 401, 'unauthenticated');
    }
  });
});

describe('an address', async () => {
  const limits = { maxGuesses: { address: 20, key: 2 } };
  const service = await startTestService({ limits });

  it('is not what a client says to be, unless a proxy that is trusted says it', async () => {
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      const headers = { 'x-forwarded-for': `10.1.0.${count}` };
      const key = { ...service.keys.admin, secret: 'wrong' };
      statuses.push((await service.call('GET', '/person', { key, headers })).status);
    }
    assert.ok(statuses.includes(429), String(statuses));
  });
});

describe('too many requests at a time', async () => {
  const service = await startTestService({ limits: { maxInFlight: 3 }, metricsListener });
  const { hostname, port } = new URL(service.url);

  it('are answered with 503 and when to come again, as is the probe of readiness; metrics and the probe of life with what they ask for', async () => {
    const head = [
      'POST /api/v2/role HTTP/1.1',
      'host: x',
      `authorization: ${basic(service.keys.admin)}`,
      'content-type: application/json',
      'content-length: 20',
    ].join('\r\n');
    const slow = Array.from({ length: 3 }, () => connect(Number(port), hostname).on('error', () => undefined));
    for (const socket of slow) socket.write(`${head}\r\n\r\n{`);
    while (valueOf(await metricsOf(service), 'rolecall_http_requests_in_flight') !== 3) await sleep(10);
    const refused = await service.call('GET', '/person');
    assertProblem(refused, 503, 'unavailable');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    assert.equal((await service.call('GET', '/../../metrics')).status, 200);
    const page = await metricsOf(service);
    assert.equal(valueOf(page, 'rolecall_http_refused_total{reason="overload"}'), 1);
    for (const socket of slow) socket.destroy();
    while ((await service.call('GET', '/person')).status !== 200) await sleep(10);
  });
});

describe('too many connections', async () => {
  const service = await startTestService({ limits: { maxConnections: 4 } });
  const { hostname, port } = new URL(service.url);

  it('are closed as they come, and taken again when others have gone', async () => {
    const open = () =>
      new Promise<{ closed: boolean; end: () => void }>((resolve) => {
        const socket = connect(Number(port), hostname);
        const state = { closed: false, end: () => void socket.destroy() };
        socket.on('error', () => undefined).on('close', () => (state.closed = true));
        socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
        socket.once('data', () => {
          resolve(state);
        });
        socket.once('close', () => {
          resolve(state);
        });
      });
    const first = await Promise.all(Array.from({ length: 4 }, open));
    assert.deepEqual(
      first.map(({ closed }) => closed),
      [false, false, false, false],
    );
    assert.equal((await open()).closed, true);
    for (const { end } of first) end();
    for (;;) {
      const again = await open();
      again.end();
      if (!again.closed) break;
      await sleep(10);
    }
  });
});
