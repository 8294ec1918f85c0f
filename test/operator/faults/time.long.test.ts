import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useInstallation } from '../support/suite.ts';
import { staySettled } from './settled.ts';

const minute = 60_000;
const hour = 60 * minute;
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

describe('an operator over time', () => {
  const suite = useInstallation();

  async function start(driftMs: number) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs });
    suite.running.push(simulation.operator);
    const becomes = (kind: string, name: string, reason: string) =>
      simulation.passUntil(async () => readyOf(await space.get(kind, name))?.reason === reason, 2 * minute);
    return { workspace, space, simulation, becomes };
  }

  it('writes nothing while nothing changes, and reads the workspace once a period', async () => {
    await staySettled(suite.all, 4, 10 * minute);
  });

  it('lets one of two objects have what both claim, and the other one have it once that goes', async () => {
    const { workspace, space, simulation, becomes } = await start(5 * minute);
    await space.create('Person', 'owner', person('shared'));
    await becomes('Person', 'owner', 'Converged');
    const id = (await space.get('Person', 'owner'))?.status?.['id'];
    // Moments of creation are whole seconds.
    await sleep(1_100);
    await space.create('Person', 'claimant', { ...person('shared'), locked: true });
    await becomes('Person', 'claimant', 'Conflict');
    await simulation.pass(minute);
    const from = [suite.all.proxy.requests.length, workspace.proxy.requests.length];
    await simulation.pass(3 * hour);
    assert.deepEqual(suite.all.proxy.requests.slice(from[0]).filter(isWrite), [], 'the two took turns');
    assert.deepEqual(workspace.proxy.requests.slice(from[1]).filter(isWrite), [], 'the two took turns');
    await space.remove('Person', 'owner');
    await becomes('Person', 'claimant', 'Converged');
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(
      people.map((one) => [one.id, one.isLocked]),
      [[id, true]],
      'it was not handed over as it was',
    );
    assert.equal(await space.get('Person', 'owner'), undefined);
  });

  it('says of each permission that it begins and ends at that very moment, by a timer', async () => {
    // No look for drift comes in between.
    const { space, simulation, becomes } = await start(24 * hour);
    await space.create('DataSource', 'billing', { uri });
    await becomes('DataSource', 'billing', 'Converged');
    const begin = Math.ceil(simulation.clock.now() / 1000) * 1000 + 2 * minute;
    const names = Array.from({ length: 40 }, (_none, index) => `p-${index}`);
    const windows = new Map(
      names.map((name, index) => [name, [begin + index * 1_000, begin + 10 * minute + index * 1_000]]),
    );
    const iso = (ms: number) => new Date(ms).toISOString();
    for (const [name, [from = 0, to = 0]] of windows) {
      await space.create('Person', name, person(name));
      await space.create('Permission', name, {
        person: name,
        dataSource: 'billing',
        startsAt: iso(from),
        expiresAt: iso(to),
      });
    }
    const isPending = async (name: string) => (await space.get('Permission', name))?.status?.['state'] === 'Pending';
    await simulation.passUntil(async () => (await Promise.all(names.map(isPending))).every(Boolean), minute);
    const bookmarks = suite.all.proxy.fault;
    const late: number[] = [];
    const told = new Map<string, number>();
    suite.all.proxy.fault = (request) => {
      const name = /permissions\/(p-\d+)\/status$/.exec(request.path)?.[1];
      const boundary = name === undefined ? undefined : windows.get(name)?.[told.get(name) ?? 0];
      if (name !== undefined && boundary !== undefined) {
        late.push(simulation.clock.now() - boundary);
        told.set(name, (told.get(name) ?? 0) + 1);
      }
      return bookmarks(request);
    };
    await simulation.pass(15 * minute);
    assert.equal(late.length, 2 * names.length, 'a state was told of twice or never');
    for (const ms of late) assert.ok(ms >= 0 && ms <= 1_000, `${ms} ms after its moment`);
    for (const name of names) assert.equal((await space.get('Permission', name))?.status?.['state'], 'Expired');
  });

  it('waits for windows that are further away than the timers of the platform reach', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    suite.running.push(await suite.all.operate({ namespace: space.name }));
    await space.create('Person', 'far', person('far'));
    await space.create('DataSource', 'billing', { uri });
    const startsAt = new Date(Date.now() + 40 * 24 * hour).toISOString();
    await space.create('Permission', 'far', { person: 'far', dataSource: 'billing', startsAt, duration: '8h' });
    for (const kind of ['Permission', 'Person'] as const) await space.reason(kind, 'far', 'Converged');
    await space.reason('DataSource', 'billing', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
    // What is still to be said of them is said by then.
    await sleep(1_500);
    const settled = [suite.all.proxy.requests.length, workspace.proxy.requests.length];
    await sleep(1_500);
    // A timer of that length fires at once, again and again.
    assert.deepEqual([suite.all.proxy.requests.length, workspace.proxy.requests.length], settled);
    assert.equal((await space.get('Permission', 'far'))?.status?.['state'], 'Pending');
  });
});
