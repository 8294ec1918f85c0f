import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import type { ProxiedRequest, RequestFault } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { type Namespace, readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const iso = (ms: number) => new Date(ms).toISOString();
/** Whole seconds from now on. */
const later = (ms: number) => iso(Math.ceil((Date.now() + ms) / second) * second);
const setWindows = /^\/api\/v2\/role\/\w+\/person\/\w+\/windows$/;

async function memberOf({ client }: TestWorkspace) {
  const [role] = await client.call('listRoles', {});
  if (role === undefined) return undefined;
  const [found] = await client.call('listRolePeople', { params: { role: role.id } });
  return found;
}

const shown = async (space: Namespace, name: string) => {
  const { state, startsAt, expiresAt } = (await space.get('RoleMembership', name))?.status ?? {};
  return { state, startsAt, expiresAt };
};

async function declareAround(space: Namespace) {
  await space.create('Person', 'ada', person('ada'));
  await space.create('Role', 'on-call', {});
  await space.reason('Role', 'on-call', 'Converged');
}

describe('a membership for a time', () => {
  const suite = useInstallation();

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const operating = await suite.operate({ namespace: space.name, driftMs: 300 });
    await declareAround(space);
    const turn = (name: string, window: Record<string, unknown>) =>
      space.create('RoleMembership', name, { role: 'on-call', person: 'ada', ...window });
    const windows = async () => (await memberOf(workspace))?.windows;
    return { workspace, space, operating, turn, windows };
  }

  it('is in the service with its times from the beginning, and begins and ends at its moments', async () => {
    const { space, turn, windows, workspace } = await start();
    const window = { startsAt: later(4 * second), expiresAt: later(8 * second) };
    await turn('turn', window);
    await space.reason('RoleMembership', 'turn', 'Converged');
    assert.deepEqual(await windows(), [window]);
    const seen: unknown[] = [];
    await until(async () => {
      const { state } = await shown(space, 'turn');
      if (seen.at(-1) !== state) seen.push(state);
      return state === 'Expired';
    });
    assert.deepEqual(seen, ['Pending', 'Active', 'Expired']);
    assert.deepEqual(await windows(), [window], 'what is over stays as a record');
    const writes = workspace.proxy.requests.filter(({ path }) => /\/person\//.test(path));
    assert.deepEqual(
      writes.map(({ method }) => method),
      ['PUT'],
    );
  });

  it('has all of its windows changed in place, and none left where they are taken away', async () => {
    const { space, turn, windows, workspace } = await start();
    const window = { startsAt: later(day), expiresAt: later(2 * day) };
    await turn('turn', window);
    await space.reason('RoleMembership', 'turn', 'Converged');
    const next = { expiresAt: later(3 * day) };
    await space.patch('RoleMembership', 'turn', { spec: { startsAt: null, ...next } });
    await until(async () => JSON.stringify(await windows()) === JSON.stringify([next]), 'the other window');
    await until(async () => (await shown(space, 'turn')).state === 'Active', 'its state');
    assert.deepEqual(await shown(space, 'turn'), { state: 'Active', startsAt: undefined, ...next });
    await space.patch('RoleMembership', 'turn', { spec: { expiresAt: null } });
    await until(async () => (await memberOf(workspace)) !== undefined && (await windows()) === undefined, 'no window');
    await until(async () => (await shown(space, 'turn')).state === undefined, 'no state');
    await space.reason('RoleMembership', 'turn', 'Converged');
    assert.deepEqual(await shown(space, 'turn'), { state: undefined, startsAt: undefined, expiresAt: undefined });
  });

  it('counts its duration from when it was first given, which another operator knows, too', async () => {
    const { space, turn, windows, operating } = await start();
    await turn('turn', { duration: '8h' });
    await space.reason('RoleMembership', 'turn', 'Converged');
    const { startsAt, expiresAt } = await shown(space, 'turn');
    assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(startsAt)), 480 * minute);
    assert.deepEqual(await windows(), [{ startsAt, expiresAt }]);
    await operating.stop();
    await suite.operate({ namespace: space.name });
    await space.patch('RoleMembership', 'turn', { spec: { duration: '9h' } });
    const longer = iso(Date.parse(String(startsAt)) + 540 * minute);
    await until(async () => (await windows())?.[0]?.expiresAt === longer, 'the longer window');
    assert.deepEqual(await windows(), [{ startsAt, expiresAt: longer }]);
  });

  it('adds up with others of the same person, and takes only its own time with it', async () => {
    const { space, turn, windows, workspace } = await start();
    const turns = [1, 3, 5].map((from) => ({ startsAt: later(from * day), expiresAt: later((from + 1) * day) }));
    for (const [index, window] of turns.entries()) await turn(`turn-${index}`, window);
    for (const index of turns.keys()) await space.reason('RoleMembership', `turn-${index}`, 'Converged');
    assert.deepEqual(await windows(), turns);
    await space.remove('RoleMembership', 'turn-1');
    await space.gone('RoleMembership', 'turn-1');
    assert.deepEqual(await windows(), [turns[0], turns[2]]);
    for (const index of [0, 2]) await space.remove('RoleMembership', `turn-${index}`);
    for (const index of [0, 2]) await space.gone('RoleMembership', `turn-${index}`);
    await until(async () => (await memberOf(workspace)) === undefined, 'the end of the membership');
  });

  it('is put right where another hand gave the role for good', async () => {
    const { space, turn, windows, workspace } = await start();
    const window = { startsAt: later(day), expiresAt: later(2 * day) };
    await turn('turn', window);
    await space.reason('RoleMembership', 'turn', 'Converged');
    const [[role], [ada]] = await Promise.all([
      workspace.client.call('listRoles', {}),
      workspace.client.call('listPeople', {}),
    ]);
    await workspace.client.call('addRolePerson', { params: { role: role!.id, person: ada!.id } });
    assert.equal(await windows(), undefined);
    await until(async () => JSON.stringify(await windows()) === JSON.stringify([window]), 'the window again');
  });

  it('is as declared for none of its objects while the one call for all of them fails', async () => {
    const { space, turn, windows, workspace } = await start();
    workspace.proxy.fault = ({ path }) => (setWindows.test(path) ? { answer: 500 } : undefined);
    const turns = [1, 3].map((from) => ({ startsAt: later(from * day), expiresAt: later((from + 1) * day) }));
    for (const [index, window] of turns.entries()) await turn(`turn-${index}`, window);
    const reasons = async () =>
      Promise.all(
        turns.keys().map(async (index) => readyOf(await space.get('RoleMembership', `turn-${index}`))?.reason),
      );
    const seen = new Set<string | undefined>();
    await until(async () => {
      for (const reason of await reasons()) seen.add(reason);
      return (await reasons()).toSorted().join() === 'Failed,Waiting';
    }, 'both to say so');
    const tries = () => workspace.proxy.requests.filter(({ path }) => setWindows.test(path)).length;
    const before = tries();
    await until(async () => {
      for (const reason of await reasons()) seen.add(reason);
      return tries() > before + 1;
    }, 'further tries');
    assert.ok(!seen.has('Converged'), [...seen].join());
    assert.equal(await memberOf(workspace), undefined);
    workspace.proxy.fault = () => undefined;
    for (const index of turns.keys()) await space.reason('RoleMembership', `turn-${index}`, 'Converged');
    assert.deepEqual(await windows(), turns);
  });

  it('that is paused says until when the access that is there lasts', async () => {
    const { space, turn, windows } = await start();
    const window = { startsAt: later(-day), expiresAt: later(2 * day) };
    await turn('turn', window);
    await space.reason('RoleMembership', 'turn', 'Converged');
    const annotations = { 'rolecall.dev/paused': 'true' };
    await space.patch('RoleMembership', 'turn', { metadata: { annotations }, spec: { expiresAt: later(-minute) } });
    await space.reason('RoleMembership', 'turn', 'Paused');
    assert.deepEqual(await shown(space, 'turn'), { state: 'Active', ...window });
    assert.deepEqual(await windows(), [window]);
  });
});

describe('a membership for a time, on a service that keeps no times', () => {
  const suite = useInstallation();

  /** As a service of the specification answers to the additions. */
  const plain = ({ path }: ProxiedRequest): RequestFault | undefined =>
    path.startsWith('/api/v2/snapshot') || setWindows.test(path) ? { answer: 404 } : undefined;

  async function start(skewMs = 0) {
    const workspace = await suite.startWorkspace();
    workspace.proxy.fault = plain;
    const space = await suite.all.namespace({}, workspace);
    // No look for drift comes in between.
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs: day });
    suite.running.push(simulation.operator);
    const now = () => simulation.clock.now() + skewMs;
    workspace.proxy.now = now;
    const becomes = (name: string, reason: string, kind = 'RoleMembership') =>
      simulation.passUntil(async () => readyOf(await space.get(kind, name))?.reason === reason, minute);
    await space.create('Person', 'ada', person('ada'));
    await space.create('Role', 'on-call', {});
    await becomes('on-call', 'Converged', 'Role');
    const begin = Math.ceil(now() / second) * second + 5 * minute;
    await space.create('RoleMembership', 'turn', {
      ...{ role: 'on-call', person: 'ada' },
      ...{ startsAt: iso(begin), expiresAt: iso(begin + 5 * minute) },
    });
    await becomes('turn', 'KeptByOperator');
    const isMember = async () => (await memberOf(workspace)) !== undefined;
    return { workspace, space, simulation, becomes, isMember, now, begin };
  }

  it('is given and taken by the operator at its moments by the clock of the service, and says that nothing else ends it', async () => {
    const { space, simulation, isMember, begin, now } = await start(10 * minute);
    assert.match(
      readyOf(await space.get('RoleMembership', 'turn'))?.message ?? '',
      /If the operator is down, the membership outlives its window/,
    );
    const told: [unknown, boolean][] = [];
    const look = async () => told.push([(await shown(space, 'turn')).state, await isMember()]);
    for (const moment of [
      begin - 2 * second,
      begin + 2 * second,
      begin + 5 * minute - 2 * second,
      begin + 5 * minute + 2 * second,
    ]) {
      await simulation.pass(moment - now());
      await look();
    }
    assert.deepEqual(told, [
      ['Pending', false],
      ['Active', true],
      ['Active', true],
      ['Expired', false],
    ]);
    assert.equal(readyOf(await space.get('RoleMembership', 'turn'))?.reason, 'Converged');
  });

  it('is taken by the next operator where none ran at its end', async () => {
    const { workspace, space, simulation, isMember, begin, now } = await start();
    await simulation.pass(begin + second - now());
    assert.ok(await isMember());
    await simulation.operator.stop();
    await simulation.clock.advance(10 * minute);
    assert.ok(await isMember());
    suite.running.push(await suite.all.operate({ namespace: space.name, clock: simulation.clock }));
    const isTaken = async () => !(await isMember());
    await simulation.passUntil(isTaken, minute);
    assert.equal(workspace.proxy.requests.at(-1)?.status, 200);
  });

  it('is Active and Failed, never Expired, while the service does not take it away', async () => {
    const { workspace, space, simulation, becomes, isMember, begin, now } = await start();
    workspace.proxy.fault = (request) => (request.method === 'DELETE' ? { answer: 500 } : plain(request));
    await simulation.pass(begin + 6 * minute - now());
    assert.equal(readyOf(await space.get('RoleMembership', 'turn'))?.reason, 'Failed');
    assert.deepEqual((await shown(space, 'turn')).state, 'Active');
    assert.ok(await isMember());
    workspace.proxy.fault = plain;
    await becomes('turn', 'Converged');
    assert.deepEqual([(await shown(space, 'turn')).state, await isMember()], ['Expired', false]);
  });
});
