import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dump } from '../../reconcile/crash/dump.ts';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWatch } from '../../support/kubernetes/fault-proxy.ts';
import type { SendEvent, WatchEvent } from '../../support/kubernetes/watch-fault.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

describe('what an operator sees late, in another order or not at all', () => {
  const suite = useInstallation();

  async function begin() {
    const workspace = await suite.startWorkspace();
    return { workspace, space: await suite.all.namespace({}, workspace) };
  }
  const usernames = async ({ client }: TestWorkspace) =>
    (await client.call('listPeople', {})).map(({ username }) => username).sort();
  const made = ({ proxy }: TestWorkspace) =>
    proxy.requests.filter(({ method, path, status }) => method === 'POST' && path.endsWith('/person') && status === 200)
      .length;

  it('does not make it make what is gone, or remove what came back, when it takes over', async () => {
    const { workspace, space } = await begin();
    const lease = { namespace: space.name, name: 'stale' };
    const first = await suite.operate({ namespace: space.name, lease });
    for (const name of ['goes', 'returns', 'stays']) await space.create('Person', name, person(name));
    for (const name of ['goes', 'returns', 'stays']) await space.reason('Person', name, 'Converged');
    // From here on, watches that are opened bring nothing: a waiting operator sees the world as it is now.
    suite.all.proxy.fault = (request) =>
      isWatch(request) && !request.path.includes('/leases') ? { events: { event: () => undefined } } : undefined;
    await space.patch('Person', 'returns', { metadata: { annotations: { 'rolecall.dev/paused': 'true' } } });
    await space.reason('Person', 'returns', 'Paused');
    await space.remove('Person', 'returns');
    const second = await suite.operate({ namespace: space.name, lease });
    await sleep(1_500);
    await space.patch('Person', 'returns', { metadata: { annotations: { 'rolecall.dev/paused': null } } });
    await space.gone('Person', 'returns');
    await space.remove('Person', 'goes');
    await space.gone('Person', 'goes');
    await space.create('Person', 'returns', person('returns'));
    await space.reason('Person', 'returns', 'Converged');
    const before = made(workspace);
    const from = workspace.proxy.requests.length;
    suite.all.proxy.fault = () => undefined;
    await first.stop();
    await until(() => second.log.some((line) => line.includes('leads')));
    await space.create('Person', 'new', person('new'));
    await space.reason('Person', 'new', 'Converged');
    await sleep(500);
    assert.deepEqual(await usernames(workspace), ['new', 'returns', 'stays']);
    assert.equal(made(workspace), before + 1);
    assert.equal(workspace.proxy.requests.slice(from).filter(isWrite).length, 1, 'only the new one was to be made');
  });

  it('is done after all when the event that told of it was lost', async () => {
    const { workspace, space } = await begin();
    const simulation = await simulate(suite.all, workspace, { namespace: space.name });
    suite.running.push(simulation.operator);
    const bookmarks = suite.all.proxy.fault;
    suite.all.proxy.fault = (request) => {
      const fault = bookmarks(request);
      if (typeof fault !== 'object' || !('events' in fault)) return fault;
      const { event: pass } = fault.events;
      const event = (one: WatchEvent, send: SendEvent): void => {
        if (one.object.metadata.name !== 'lost') pass(one, send);
      };
      return { events: { ...fault.events, event } };
    };
    suite.all.proxy.cut();
    await space.create('Person', 'seen', person('seen'));
    await simulation.passUntil(async () => (await usernames(workspace)).includes('seen'), 60_000);
    await space.create('Person', 'lost', person('lost'));
    await simulation.pass(10 * 60_000);
    assert.deepEqual(await usernames(workspace), ['seen'], 'the event was not lost');
    // Watches end by themselves every few minutes of the server's time, and an hour after a list comes the next one.
    await simulation.pass(60 * 60_000);
    suite.all.proxy.cut();
    await simulation.passUntil(async () => (await usernames(workspace)).includes('lost'), 60_000);
  });

  it('is not made again when its events come in another order', async () => {
    const { workspace, space } = await begin();
    const held: (() => void)[] = [];
    let holds = false;
    suite.all.proxy.fault = (request) => {
      if (!isWatch(request) || !request.path.includes('/people')) return undefined;
      return {
        events: {
          event: (event, send) => {
            // What was changed is told after it is told that it is gone.
            if (holds && event.type === 'MODIFIED')
              held.push(() => {
                send(event);
              });
            else send(event);
            if (event.type === 'DELETED') for (const tell of held.splice(0)) tell();
          },
        },
      };
    };
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'back', person('back'));
    await space.reason('Person', 'back', 'Converged');
    await space.patch('Person', 'back', { spec: { deletionPolicy: 'Orphan' } });
    await space.reason('Person', 'back', 'Converged');
    holds = true;
    await space.patch('Person', 'back', { metadata: { finalizers: null }, spec: { locked: true } });
    await space.remove('Person', 'back');
    await space.gone('Person', 'back');
    const before = made(workspace);
    await space.create('Person', 'next', person('next'));
    await space.reason('Person', 'next', 'Converged');
    await sleep(300);
    assert.equal(made(workspace), before + 1);
    assert.equal(await space.get('Person', 'back'), undefined);
  });

  it('ends where the last change leads, however quick others were before it', async () => {
    const [changed, fresh] = [await begin(), await begin()];
    const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
    const first: [string, string, Record<string, unknown>][] = [
      ['Person', 'ada', person('ada')],
      ['Person', 'grace', person('grace')],
      ['DataSource', 'billing', { uri, alias: 'billing', name: 'A' }],
      ['Role', 'analysts', { name: 'analysts', people: ['ada', 'grace'], dataSources: ['billing'] }],
      ['Permission', 'p', { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z' }],
    ];
    const others: [string, string, Record<string, unknown>][] = [
      ['Person', 'ada', { locked: true }],
      ['DataSource', 'billing', { alias: 'accounts', name: 'B' }],
      ['Role', 'analysts', { name: 'readers', people: ['grace'], dataSources: [] }],
      ['Permission', 'p', { expiresAt: '2098-01-01T00:00:00Z' }],
    ];
    const patch = (space: Namespace, objects: typeof others) =>
      Promise.all(objects.map(([kind, name, spec]) => space.patch(kind, name, { spec })));
    const back = first.map(([kind, name, spec]): [string, string, Record<string, unknown>] => [
      kind,
      name,
      kind === 'Person' ? { ...spec, locked: false } : spec,
    ]);
    for (const { space } of [changed, fresh]) {
      for (const [kind, name, spec] of first) await space.create(kind, name, spec);
    }
    await suite.operate({ namespace: changed.space.name });
    await suite.operate({ namespace: fresh.space.name });
    for (const { space } of [changed, fresh]) {
      for (const [kind, name] of first) await space.reason(kind, name, 'Converged');
    }
    changed.workspace.proxy.fault = (request) => (isWrite(request) ? { delayMs: 30 } : undefined);
    for (let round = 0; round < 6; round += 1) {
      await patch(changed.space, others);
      await sleep(15 * round);
      await patch(changed.space, back);
      await sleep(10 * round);
    }
    for (const [kind, name] of first) await changed.space.reason(kind, name, 'Converged');
    const state = async ({ client }: TestWorkspace) => {
      const { permissions, ...rest } = (await dump(client)) as { permissions: unknown[][] };
      return { ...rest, permissions: permissions.map(([who, what, , end]) => [who, what, end]) };
    };
    await until(
      async () => JSON.stringify(await state(changed.workspace)) === JSON.stringify(await state(fresh.workspace)),
      'the same workspace',
    ).catch(async () => {
      assert.deepEqual(await state(changed.workspace), await state(fresh.workspace));
    });
    for (const [kind, name] of first) await changed.space.reason(kind, name, 'Converged');
  });
});
