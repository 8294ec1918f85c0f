import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createKey } from '@rolecall/server';
import { type Dispatcher, Pool } from 'undici';
import { startChildService } from './support/child.ts';
import { basic, startTestService } from './support/service.ts';
import { newStore } from './support/stores.ts';

/** A machine that is busy may keep this process from its next requests for longer than the service waits of itself. */
const patient = 10_000;

describe('a service that is told to end', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`answers every request that it took (${signal}), and exits with 0`, async () => {
      const store = await newStore();
      const key = await createKey({ ...store, scope: 'admin' });
      const child = await startChildService(store, patient);
      const pool = new Pool(child.url, { connections: 16 });
      const outcome = { acknowledged: [] as string[], cut: [] as string[] };
      let stopped = false;
      const clients = Array.from({ length: 16 }, async (_, client) => {
        for (let count = 0; !stopped; count += 1) {
          const username = `${client}-${count}`;
          const body = JSON.stringify({ name: 'x', username, email: `${username}@example.com` });
          const headers = { authorization: basic(key), 'content-type': 'application/json' };
          try {
            const answer = await pool.request({ method: 'POST', path: '/api/v2/person', headers, body });
            await answer.body.dump();
            if (answer.statusCode === 200) outcome.acknowledged.push(username);
            else outcome.cut.push(`${username}: ${answer.statusCode}`);
          } catch (error) {
            // No one listens any more: the request was not taken.
            if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return;
            outcome.cut.push(`${username}: ${String(error)}`);
          }
        }
      });
      while (outcome.acknowledged.length <= 50) await setTimeout(10);
      assert.equal(await child.end(signal), 0);
      stopped = true;
      await Promise.all(clients);
      await pool.destroy();
      assert.deepEqual(outcome.cut, []);
      const service = await startTestService(store);
      const people = await service.ok<{ username: string }[]>('GET', '/person');
      assert.equal(people.length, outcome.acknowledged.length);
    });
  }

  it('answers requests whose connections it had no time to take before it was told', async () => {
    const store = await newStore();
    const key = await createKey({ ...store, scope: 'admin' });
    const child = await startChildService(store);
    const pool = new Pool(child.url, { connections: 32 });
    // It waits for its signal by then.
    await fetch(`${child.url}/readyz`);
    // As a machine that has no time for the process: the kernel takes the connections, the signal and the requests.
    child.process.kill('SIGSTOP');
    const sent = Array.from({ length: 32 }, (_, count) => {
      const body = JSON.stringify({ name: `role ${count}` });
      const headers = { authorization: basic(key), 'content-type': 'application/json' };
      return pool.request({ method: 'POST', path: '/api/v2/role', headers, body }).then(read);
    });
    while (pool.stats.running < 32) await setTimeout(5);
    const ended = child.end('SIGTERM');
    child.process.kill('SIGCONT');
    const answers = await Promise.allSettled(sent);
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : String(answer.reason))),
      answers.map(() => 200),
    );
    assert.equal(await ended, 0);
    await pool.destroy();
  });

  it('answers on the connections that are open, closes them with the answer, and takes no new ones', async () => {
    const service = await startTestService();
    const open = new Pool(service.url, { connections: 1 });
    const path = '/readyz';
    assert.equal((await open.request({ method: 'GET', path }).then(read)).status, 200);
    // In this time it must have stopped to listen, and answer once more.
    const closing = service.close(3000);
    const listens = () =>
      fetch(`${service.url}${path}`).then(
        () => true,
        () => false,
      );
    while (await listens()) await setTimeout(10);
    const last = await open.request({ method: 'GET', path }).then(read);
    assert.equal(last.status, 503);
    assert.equal(last.headers['retry-after'], '1');
    assert.equal(last.headers['connection'], 'close');
    await Promise.all([closing, service.close()]);
    await open.destroy();
  });

  it('does not wait for clients that say nothing', async () => {
    const service = await startTestService();
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    const ended = once(silent, 'close');
    await once(silent, 'connect');
    const begun = Date.now();
    await service.close(100);
    await ended;
    assert.ok(Date.now() - begun < 5000);
  });
});

async function read(answer: Dispatcher.ResponseData) {
  await answer.body.dump();
  return { status: answer.statusCode, headers: answer.headers };
}
