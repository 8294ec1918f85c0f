import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorMetrics, serveStatus } from '@rolecall/operator';
import { fakeClock } from '../support/fake-clock.ts';

const people = '/apis/rolecall.dev/v1alpha1/people?limit=500';

describe('probes', () => {
  async function started() {
    const clock = fakeClock();
    const metrics = new OperatorMetrics(clock, 'api.test', '1.2.3');
    const anywhere = { host: '127.0.0.1', port: 0 };
    const servers = await serveStatus(metrics, { metrics: anywhere, probes: anywhere });
    const get = async (path: string) => {
      const answer = await fetch(`${servers.probes ?? ''}${path}`);
      return { status: answer.status, text: (await answer.text()).trim() };
    };
    return { clock, metrics, servers, get };
  }

  it('are not ready until the API server was heard of and everything is listed, and say why', async () => {
    const { metrics, servers, get } = await started();
    await using _servers = servers;
    assert.deepEqual(await get('/healthz'), { status: 200, text: 'ok' });
    assert.deepEqual(await get('/readyz'), { status: 503, text: 'the API server has not answered yet' });
    metrics.answered('GET', undefined, people);
    assert.equal((await get('/readyz')).status, 503);
    metrics.answered('GET', 200, people);
    assert.deepEqual(await get('/readyz'), { status: 503, text: 'not every kind has been listed yet' });
    let isSynced = false;
    metrics.objects(new Map(), () => isSynced);
    assert.equal((await get('/readyz')).status, 503);
    isSynced = true;
    assert.deepEqual(await get('/readyz'), { status: 200, text: 'ok' });
  });

  it('name the kinds that have not been listed yet: only who has listed all of one watches it', async () => {
    const { metrics, servers, get } = await started();
    await using _servers = servers;
    metrics.objects(
      new Map([
        [`Person`, () => []],
        [`Role`, () => []],
      ] as const),
      () => false,
    );
    const text = async () => (await get('/readyz')).text;
    metrics.answered('GET', 200, people);
    assert.equal(await text(), 'not every kind has been listed yet: people.rolecall.dev, roles.rolecall.dev');
    metrics.answered('GET', 404, '/apis/rolecall.dev/v1alpha1/people?watch=1');
    metrics.answered('GET', 200, '/apis/rolecall.dev/v1alpha1/namespaces/team-a/roles?watch=1&resourceVersion=7');
    assert.equal(await text(), 'not every kind has been listed yet: people.rolecall.dev');
    metrics.objects(new Map([['Role', () => []]] as const), () => false);
    assert.equal(await text(), 'not every kind has been listed yet: roles.rolecall.dev');
  });

  it('fail out of contact: readiness soon, health only when a new process may fare better', async () => {
    const { clock, metrics, servers, get } = await started();
    await using _servers = servers;
    metrics.objects(new Map(), () => true);
    metrics.answered('GET', 200, people);
    await clock.advance(31_000);
    assert.deepEqual(await get('/readyz'), { status: 503, text: 'the API server has been silent for 31 s' });
    assert.equal((await get('/healthz')).status, 200);
    metrics.contact.heard();
    assert.equal((await get('/readyz')).status, 200);
    await clock.advance(301_000);
    assert.deepEqual(await get('/healthz'), { status: 503, text: 'the API server has been silent for 301 s' });
    metrics.answered('GET', 500, people);
    assert.equal((await get('/healthz')).status, 200);
  });

  it('have nothing else, on an address of their own', async () => {
    const { servers, get } = await started();
    await using _servers = servers;
    assert.equal((await get('/metrics')).status, 404);
    assert.equal((await get('/')).status, 404);
    assert.equal((await fetch(servers.metrics ?? '')).status, 200);
    assert.equal((await fetch(`${servers.probes ?? ''}/healthz`, { method: 'POST' })).status, 404);
  });
});
