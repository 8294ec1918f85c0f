import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey } from '@rolecall/server';
import { ask } from '../../support/kubernetes/admin-client.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { type Namespace, readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('what the service refuses for good is not asked for again, in simulated hours', () => {
  const suite = useInstallation();
  let workspace: TestWorkspace;

  async function start() {
    workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs: 5 * minute });
    suite.running.push(simulation.operator);
    const becomes = (kind: string, name: string, reason: string) =>
      simulation.passUntil(async () => {
        const object = await space.get(kind, name);
        const ready = readyOf(object);
        return ready?.reason === reason && ready.observedGeneration === object?.metadata.generation;
      }, 2 * minute);
    const calls = (from: number) => workspace.proxy.requests.slice(from).filter(isWrite).length;
    return { space, simulation, becomes, calls };
  }

  const useKey = ({ name }: Namespace, { id, secret }: { id: string; secret: string }) =>
    ask(
      suite.all.kube,
      'PATCH',
      `/api/v1/namespaces/${name}/secrets/rolecall-key`,
      { stringData: { id, secret } },
      'application/merge-patch+json',
    );
  const newKey = (scope: 'read' | 'admin') => createKey({ dataDir: workspace.dataDir, environment: {}, scope });

  it('until the object changes: 422', async () => {
    const { space, simulation, becomes, calls } = await start();
    let isRefused = true;
    workspace.proxy.fault = ({ method, path }) =>
      isRefused && method === 'POST' && path.endsWith('/person') ? { answer: 422 } : undefined;
    await space.create('Person', 'refused', person('refused'));
    await becomes('Person', 'refused', 'Refused');
    assert.match(readyOf(await space.get('Person', 'refused'))?.message ?? '', /the test answers 422/);
    const from = workspace.proxy.requests.length;
    await simulation.pass(2 * hour);
    assert.equal(calls(from), 0);
    isRefused = false;
    await space.patch('Person', 'refused', { spec: { email: 'other@example.com' } });
    await becomes('Person', 'refused', 'Converged');
  });

  it('until its Workspace has another key: 403', async () => {
    const { space, simulation, becomes, calls } = await start();
    await becomes('Workspace', 'workspace', 'Converged');
    await useKey(space, await newKey('read'));
    await space.create('Person', 'unscoped', person('unscoped'));
    await becomes('Person', 'unscoped', 'Refused');
    assert.match(readyOf(await space.get('Person', 'unscoped'))?.message ?? '', /scope/);
    const from = workspace.proxy.requests.length;
    await simulation.pass(2 * hour);
    assert.equal(calls(from), 0);
    await useKey(space, await newKey('admin'));
    await becomes('Person', 'unscoped', 'Converged');
  });

  it('until it is deleted with another key: 403 of what a deletion takes', async () => {
    const { space, simulation, becomes, calls } = await start();
    await space.create('Person', 'leaving', person('leaving'));
    await becomes('Person', 'leaving', 'Converged');
    await useKey(space, await newKey('read'));
    await space.remove('Person', 'leaving');
    await becomes('Person', 'leaving', 'Refused');
    const from = workspace.proxy.requests.length;
    await simulation.pass(2 * hour);
    assert.equal(calls(from), 0);
    await useKey(space, await newKey('admin'));
    await simulation.passUntil(async () => (await space.get('Person', 'leaving')) === undefined, hour);
  });

  it('of the workspace as a whole: a key that was revoked, until it has another one', async () => {
    const { space, simulation, becomes } = await start();
    await space.create('Person', 'before', person('before'));
    await becomes('Person', 'before', 'Converged');
    await useKey(space, { id: workspace.key.id, secret: 'not-the-secret-of-any-key' });
    await space.create('Person', 'later', person('later'));
    await simulation.passUntil(
      async () => readyOf(await space.get('Workspace', 'workspace'))?.status === 'False',
      hour,
    );
    const said = readyOf(await space.get('Workspace', 'workspace'));
    assert.match(said?.message ?? '', /key/);
    assert.doesNotMatch(said?.message ?? '', /not-the-secret/);
    assert.equal(readyOf(await space.get('Person', 'later'))?.status, 'False', 'the new person says nothing');
    await simulation.pass(minute);
    const written = suite.all.proxy.requests.length;
    const from = workspace.proxy.requests.length;
    await simulation.pass(2 * hour);
    // A look for drift a period finds out whether it holds again; the client tries a refused key once more.
    const calls = workspace.proxy.requests.length - from;
    assert.ok(calls <= 2 * 24, `${calls} calls in 24 periods`);
    const writes = suite.all.proxy.requests.slice(written).filter(isWrite);
    assert.deepEqual(writes, [], 'what was said already is said again');
    await useKey(space, workspace.key);
    await becomes('Person', 'later', 'Converged');
  });
});
