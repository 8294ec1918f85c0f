import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requires } from '../../support/databases/parts.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { type Installation, type Operating, readyOf, startInstallation } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';
import { staySettled } from './settled.ts';

const minute = 60_000;
const hour = 60 * minute;
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

describe('an operator over time', requires('kubernetes'), () => {
  let all: Installation;
  let workspace: TestWorkspace | undefined;
  const running: Operating[] = [];

  before(async () => {
    all = await startInstallation();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
    all.proxy.fault = () => undefined;
    await workspace?.stop();
    workspace = undefined;
  });
  after(() => all.stop());

  async function start(driftMs: number) {
    workspace = await startWorkspace();
    const space = await all.namespace({}, workspace);
    const simulation = await simulate(all, workspace, { namespace: space.name, driftMs });
    running.push(simulation.operator);
    const becomes = (kind: string, name: string, reason: string) =>
      simulation.passUntil(async () => readyOf(await space.get(kind, name))?.reason === reason, 2 * minute);
    return { workspace, space, simulation, becomes };
  }

  it('writes nothing while nothing changes, and reads each collection once a period', async () => {
    await staySettled(all, 4, 10 * minute);
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
    const from = [all.proxy.requests.length, workspace.proxy.requests.length];
    await simulation.pass(3 * hour);
    assert.deepEqual(all.proxy.requests.slice(from[0]).filter(isWrite), [], 'the two took turns');
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
    const bookmarks = all.proxy.fault;
    const late: number[] = [];
    const told = new Map<string, number>();
    all.proxy.fault = (request) => {
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
    workspace = await startWorkspace();
    const space = await all.namespace({}, workspace);
    running.push(await all.operate({ namespace: space.name }));
    await space.create('Person', 'far', person('far'));
    await space.create('DataSource', 'billing', { uri });
    const startsAt = new Date(Date.now() + 40 * 24 * hour).toISOString();
    await space.create('Permission', 'far', { person: 'far', dataSource: 'billing', startsAt, duration: '8h' });
    await space.reason('Permission', 'far', 'Converged');
    // What is still to be said of the others is said by then.
    await sleep(1_500);
    const settled = [all.proxy.requests.length, workspace.proxy.requests.length];
    await sleep(1_500);
    // A timer of that length fires at once, again and again.
    assert.deepEqual([all.proxy.requests.length, workspace.proxy.requests.length], settled);
    assert.equal((await space.get('Permission', 'far'))?.status?.['state'], 'Pending');
  });
});
