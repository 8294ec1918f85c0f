import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, type KubeObject, until } from '../support/kubernetes/admin-client.ts';
import { isWrite } from '../support/request-fault.ts';
import { person } from './support/definitions.ts';
import { useInstallation } from './support/suite.ts';

const lease = { namespace: 'default', name: 'ends-in-order' };
const leases = `/apis/coordination.k8s.io/v1/namespaces/${lease.namespace}/leases/${lease.name}`;

describe('an operator that is ended in order', () => {
  const suite = useInstallation();

  async function start(graceMs?: number) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const operate = () =>
      suite.operate({ namespace: space.name, lease, ...(graceMs === undefined ? {} : { graceMs }) });
    const holder = async () =>
      (await ask<KubeObject & { spec: { holderIdentity: string } }>(suite.all.kube, 'GET', leases)).spec.holderIdentity;
    /** Keeps back the answer to the first write of the service whose path ends like this. */
    const keepAnswer = (end: string) => {
      const [done, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      workspace.proxy.onWritten = async ({ path }) => {
        if (!path.endsWith(end)) return;
        done.resolve(undefined);
        await answer.promise;
      };
      const release = (): void => {
        answer.resolve(undefined);
      };
      return { done: done.promise, release };
    };
    return { workspace, space, operate, holder, keepAnswer };
  }

  it('finishes the call under way and writes down what it made, before it gives the Lease back', async () => {
    const { workspace, space, operate, holder, keepAnswer } = await start();
    const { done, release } = keepAnswer('/person');
    const operator = await operate();
    await space.create('Person', 'ada', person('ada'));
    await done;
    const from = suite.all.proxy.requests.length;
    const stopped = operator.stop();
    assert.notEqual(await holder(), '', 'it leads as long as a call is under way');
    release();
    await stopped;
    assert.equal(await operator.ended, 'stopped');
    assert.equal(await holder(), '');
    const [ada] = await workspace.client.call('listPeople', {});
    assert.equal((await space.get('Person', 'ada'))?.status?.['id'], ada?.id);
    const written = suite.all.proxy.requests.slice(from).filter(isWrite);
    assert.match(written.at(-1)?.path ?? '', /\/leases\//);
  });

  it('begins nothing more, and writes down what is made only in part: the next one knows it by another name', async () => {
    const { workspace, space, operate, keepAnswer } = await start();
    const { done, release } = keepAnswer('/role');
    const operator = await operate();
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    await space.create('Role', 'one', { name: 'old', people: ['ada'] });
    await done;
    const from = workspace.proxy.requests.length;
    const stopped = operator.stop();
    release();
    await stopped;
    assert.deepEqual(workspace.proxy.requests.slice(from).filter(isWrite), []);
    await space.patch('Role', 'one', { spec: { name: 'new' } });
    await operate();
    await space.reason('Role', 'one', 'Converged');
    const roles = await workspace.client.call('listRoles', {});
    assert.deepEqual(
      roles.map(({ name }) => name),
      ['new'],
    );
  });

  it('ends at once where nothing is under way', async () => {
    const { space, operate } = await start(3_600_000);
    const operator = await operate();
    await space.reason('Workspace', 'workspace', 'Converged');
    await operator.stop();
    assert.equal(await operator.ended, 'stopped');
  });

  it('does not wait for ever for an answer', async () => {
    const { workspace, space, operate } = await start(50);
    const operator = await operate();
    workspace.proxy.fault = (request) => (isWrite(request) ? 'no answer' : undefined);
    await space.create('Person', 'ada', person('ada'));
    await until(() => workspace.proxy.requests.some(isWrite), 'a call');
    await operator.stop();
    assert.equal(await operator.ended, 'stopped');
  });
});
