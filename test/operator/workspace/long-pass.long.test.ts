import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { type Installation, type Operating, readyOf, startInstallation } from '../support/installation.ts';
import type { ServiceProxy } from '../support/service-proxy.ts';

describe('a workspace with many objects', () => {
  let all: Installation;
  let running: Operating | undefined;
  let proxy: ServiceProxy;

  before(async () => {
    all = await startInstallation();
    proxy = all.workspace.proxy;
  });
  afterEach(async () => {
    await running?.stop();
    proxy.fault = () => undefined;
  });
  after(() => all.stop());

  const callsOf = (from: number) => proxy.requests.slice(from).map(({ method, path }) => `${method} ${path}`);

  it('has what is new Ready before a long pass over the others ends', async () => {
    const space = await all.namespace();
    const names = Array.from({ length: 700 }, (_none, index) => `long-${index}`);
    for (let from = 0; from < names.length; from += 50) {
      await Promise.all(names.slice(from, from + 50).map((name) => space.create('Person', name, person(name))));
    }
    proxy.fault = ({ method }) => (method === 'POST' ? { delayMs: 250 } : undefined);
    running = await all.operate({ namespace: space.name });
    await until(async () => readyOf(await space.get('Person', 'long-0'))?.status === 'True', 'the first');
    await space.create('Person', 'new', person('new'));
    await space.reason('Person', 'new', 'Converged');
    const others = await Promise.all(names.map((name) => space.get('Person', name)));
    assert.ok(
      others.some((object) => readyOf(object)?.status !== 'True'),
      'the pass had ended',
    );
    proxy.fault = () => undefined;
    for (const name of names) await space.reason('Person', name, 'Converged');
    const people = (await all.service.call('listPeople', {})).filter(({ username }) => username.startsWith('long-'));
    assert.equal(people.length, names.length);
  });

  it('costs one call a change, and no list after a write of its own', async () => {
    const space = await all.namespace();
    running = await all.operate({ namespace: space.name });
    await space.create('DataSource', 'billing', { uri: 'postgresql://reader@127.0.0.1:5432/billing' });
    await space.create('Person', 'ada', person('ada'));
    await space.create('Role', 'analysts', { people: ['ada'] });
    await space.create('Snippet', 'mine', { text: 'select 1', owner: { person: 'ada' } });
    for (const [kind, name] of [
      ['Role', 'analysts'],
      ['Snippet', 'mine'],
      ['DataSource', 'billing'],
      ['Person', 'ada'],
    ] as const)
      await space.reason(kind, name, 'Converged');
    const count = proxy.requests.length;
    await space.patch('Person', 'ada', { spec: { locked: true } });
    await space.reason('Person', 'ada', 'Converged');
    await space.patch('Role', 'analysts', { spec: { dataSources: ['billing'] } });
    await space.reason('Role', 'analysts', 'Converged');
    await space.patch('DataSource', 'billing', { spec: { name: 'Billing' } });
    await space.reason('DataSource', 'billing', 'Converged');
    await space.patch('Snippet', 'mine', { spec: { locked: true } });
    await space.reason('Snippet', 'mine', 'Converged');
    // What is held back, were there anything, would have been looked at again by now.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const calls = callsOf(count).map((call) => call.replaceAll(/\/\w{12}(?=\/|$)/g, '/id'));
    assert.deepEqual(calls, [
      'PUT /api/v2/person/id/lock',
      'PUT /api/v2/role/id/data-source/id',
      'POST /api/v2/data-source/id',
      'PUT /api/v2/snippet/id/lock',
    ]);
  });

  it('repairs what was changed by hand in one of many, and a status that was, though the others are as they were', async () => {
    const space = await all.namespace();
    running = await all.operate({ namespace: space.name, driftMs: 400 });
    const names = ['one', 'two', 'three'].map((name) => `by-hand-${name}`);
    for (const name of names) await space.create('Person', name, person(name));
    for (const name of names) await space.reason('Person', name, 'Converged');
    const count = proxy.requests.length;
    const unchanged = () => proxy.requests.slice(count).filter(({ status }) => status === 304).length;
    await until(() => unchanged() >= 2, 'a pass in which nothing had changed');
    const people = await all.service.call('listPeople', {});
    const { id } = people.find(({ username }) => username === names[1])!;
    for (let round = 0; round < 2; round += 1) {
      await all.service.call('lockPerson', { params: { person: id } });
      const isLocked = async () => (await all.service.call('getPerson', { params: { person: id } })).isLocked;
      await until(async () => !(await isLocked()), 'the repair');
      const before = unchanged();
      await until(() => unchanged() >= before + 2, 'a pass in which nothing had changed');
    }
    const path = `/apis/rolecall.dev/v1alpha1/namespaces/${space.name}/people/${names[2]!}/status`;
    await ask(all.kube, 'PATCH', path, { status: null }, 'application/merge-patch+json');
    await space.reason('Person', names[2]!, 'Converged');
  });

  it('costs one conditional call to be compared again', async () => {
    const space = await all.namespace();
    running = await all.operate({ namespace: space.name, driftMs: 400 });
    for (const name of ['one', 'two', 'three']) await space.create('Person', `drift-${name}`, person(`drift-${name}`));
    for (const name of ['one', 'two', 'three']) await space.reason('Person', `drift-${name}`, 'Converged');
    const count = proxy.requests.length;
    const lists = () => callsOf(count).filter((call) => call === 'GET /api/v2/snapshot').length;
    await until(() => lists() >= 4, 'four passes');
    assert.deepEqual([...new Set(callsOf(count))], ['GET /api/v2/snapshot']);
  });

  it('lets a Role lose and a Permission gain access in the order that interrupts no one', async () => {
    const space = await all.namespace();
    running = await all.operate({ namespace: space.name });
    await space.create('DataSource', 'stock', { uri: 'postgresql://reader@127.0.0.1:5432/stock' });
    await space.create('Person', 'joan', person('joan'));
    await space.create('Role', 'support', { people: ['joan'], dataSources: ['stock'] });
    await space.reason('Role', 'support', 'Converged');
    const { id } = (await all.service.call('listPeople', {})).find(({ username }) => username === 'joan')!;
    const count = proxy.requests.length;
    // The grant fails at first, with all repeats of the client: what it replaces must not be taken away meanwhile.
    let refusals = 5;
    proxy.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.includes('/permission/') || refusals === 0) return undefined;
      refusals -= 1;
      return { answer: 500 };
    };
    await space.create('Permission', 'joan', {
      person: 'joan',
      dataSource: 'stock',
      expiresAt: '2099-01-01T00:00:00Z',
    });
    await space.patch('Role', 'support', { spec: { people: [] } });
    let interrupted = false;
    await until(async () => {
      const reached = await all.service.call('listPersonDataSources', { params: { person: id } });
      interrupted ||= reached.length === 0;
      return callsOf(count).some((call) => call.startsWith('DELETE') && call.includes('/role/'));
    }, 'the removal');
    const writes = callsOf(count).filter((call) => !call.startsWith('GET'));
    assert.equal(interrupted, false, writes.join());
    await space.reason('Permission', 'joan', 'Converged');
  });
});
