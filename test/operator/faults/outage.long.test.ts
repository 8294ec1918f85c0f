import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useCluster } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const minute = 60_000;

describe('an outage, in simulated time', requires('kubernetes'), () => {
  const suite = useCluster();
  let workspace: TestWorkspace;

  /** Twenty people who are settled. */
  async function settled(more: Parameters<typeof simulate>[2] = {}) {
    workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs: minute, ...more });
    suite.running.push(simulation.operator);
    const names = Array.from({ length: 20 }, (_none, index) => `p-${index}`);
    for (const name of names) await space.create('Person', name, person(name));
    const isReady = async (name: string) => readyOf(await space.get('Person', name))?.status === 'True';
    await simulation.passUntil(async () => (await Promise.all(names.map(isReady))).every(Boolean), minute);
    const usernames = async () => (await workspace.client.call('listPeople', {})).map(({ username }) => username);
    return { space, simulation, isReady, usernames };
  }

  it('of the API server for a minute is over within seconds of its return, without a stampede', async () => {
    const { space, simulation, isReady } = await settled();
    await suite.all.proxy.down(true);
    await simulation.pass(minute);
    await space.create('Person', 'meanwhile', person('meanwhile'));
    await suite.all.proxy.down(false);
    const from = suite.all.proxy.requests.length;
    await simulation.pass(1_000);
    const collections = 8;
    const first = suite.all.proxy.requests.slice(from);
    assert.ok(first.length <= 2 * collections, `${first.length} requests in the first second`);
    const took = await simulation.passUntil(() => isReady('meanwhile'), minute);
    assert.ok(took <= 9_000, `it took ${took} ms`);
    assert.ok(suite.all.proxy.requests.slice(from).filter(isWrite).length <= 6, 'more was written than was to be');
  });

  it('of the API server while it leads ends the process, and nothing is written after that', async () => {
    const { space, simulation } = await settled({ lease: { namespace: 'default', name: 'outage' } });
    await suite.all.proxy.down(true);
    await simulation.pass(11_000);
    assert.equal(await simulation.operator.ended, 'lost');
    const calls = workspace.proxy.requests.length;
    await space.create('Person', 'late', person('late'));
    await suite.all.proxy.down(false);
    const from = suite.all.proxy.requests.length;
    await simulation.pass(minute);
    assert.deepEqual(suite.all.proxy.requests.slice(from), []);
    assert.equal(workspace.proxy.requests.length, calls);
    // The next process waits for the Lease to run out, 15 s, and then until it reads it again, 4.4 s at most.
    const next = await simulate(suite.all, workspace, {
      namespace: space.name,
      lease: { namespace: 'default', name: 'outage' },
    });
    suite.running.push(next.operator);
    const isReady = async () => readyOf(await space.get('Person', 'late'))?.status === 'True';
    const took = await next.passUntil(isReady, minute);
    assert.ok(took <= 21_000, `it took ${took} ms`);
  });

  it('of the service for an hour is told once, and over within seconds of its return, without a stampede', async () => {
    const { space, simulation, isReady } = await settled();
    const from = suite.all.proxy.requests.length;
    await workspace.proxy.down(true);
    await simulation.pass(10 * minute);
    await space.create('Person', 'meanwhile', person('meanwhile'));
    await simulation.pass(50 * minute);
    const said = readyOf(await space.get('Workspace', 'workspace'));
    assert.equal(said?.reason, 'Unreachable');
    assert.match(said.message, /127\.0\.0\.1/);
    // Of the Workspace and of the new person, a status and an event each, and the finalizer of that one.
    const writes = suite.all.proxy.requests.slice(from).filter(isWrite);
    assert.ok(writes.length <= 6, writes.map(({ method, path }) => `${method} ${path}`).join('\n'));
    await workspace.proxy.down(false);
    const calls = workspace.proxy.requests.length;
    await simulation.pass(1_000);
    const first = workspace.proxy.requests.slice(calls);
    assert.ok(first.length <= 8, `${first.length} calls in the first second`);
    const took = await simulation.passUntil(() => isReady('meanwhile'), minute);
    assert.ok(took <= 10_000, `it took ${took} ms`);
    assert.equal(readyOf(await space.get('Workspace', 'workspace'))?.reason, 'Converged');
  });
});
