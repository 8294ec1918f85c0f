import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('a Person, from its creation to its end', () => {
  const suite = useInstallation();

  const find = async (username: string) =>
    (await suite.all.service.call('listPeople', {})).find((one) => one.username === username);

  it('is made, is Ready with its id, is repaired, changed, and removed', async () => {
    const space = await suite.all.namespace();
    await suite.operate({ driftMs: 500 });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    const made = await find('ada');
    const object = await space.get('Person', 'ada');
    assert.equal(object?.status?.['id'], made?.id);
    assert.deepEqual(object?.metadata.finalizers, ['rolecall.dev/workspace']);

    await suite.all.service.call('lockPerson', { params: { person: made!.id } });
    await until(async () => (await find('ada'))?.isLocked === false, 'the repair');

    await space.patch('Person', 'ada', { spec: { locked: true } });
    await until(async () => (await find('ada'))?.isLocked === true, 'the change');
    await space.reason('Person', 'ada', 'Converged');

    await space.remove('Person', 'ada');
    await space.gone('Person', 'ada');
    assert.equal(await find('ada'), undefined);
  });

  it('is adopted where it is there already, and not made twice', async () => {
    const { id } = await suite.all.service.call('createPerson', { body: person('grace') });
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'grace', person('grace'));
    await space.reason('Person', 'grace', 'Converged');
    assert.equal((await space.get('Person', 'grace'))?.status?.['id'], id);
  });

  it('is made again when someone deleted it, under the same name', async () => {
    const space = await suite.all.namespace();
    await suite.operate({ driftMs: 500 });
    await space.create('Person', 'joan', person('joan'));
    await space.reason('Person', 'joan', 'Converged');
    const { id } = (await find('joan'))!;
    await suite.all.service.call('lockPerson', { params: { person: id } });
    await suite.all.service.call('deletePerson', { params: { person: id } });
    await until(async () => (await find('joan')) !== undefined, 'another joan');
    await until(async () => (await space.get('Person', 'joan'))?.status?.['id'] === (await find('joan'))?.id, 'its id');
  });

  it('takes two writes to the API server, and none once it is settled', async () => {
    const space = await suite.all.namespace();
    // In this namespace alone: the Workspaces of the others, which share the workspace, count what is declared here as undeclared.
    await suite.operate({ driftMs: 300, namespace: space.name });
    await space.create('Person', 'first', person('first'));
    await space.reason('Person', 'first', 'Converged');
    const writes = () =>
      suite.all.proxy.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
    const before = writes().length;
    await space.create('Person', 'second', person('second'));
    await space.reason('Person', 'second', 'Converged');
    const ofSecond = writes()
      .slice(before)
      .filter((write) => write.includes('/people/second'));
    assert.equal(ofSecond.length, 2, ofSecond.join());
    const settled = writes().length;
    const lists = suite.all.proxy.requests.length;
    // Several looks for drift go by.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.deepEqual(writes().slice(settled), []);
    assert.equal(suite.all.proxy.requests.length, lists, 'the API server was asked');
  });

  it('holds up no one else when it cannot be made', async () => {
    await suite.all.service.call('createPerson', { body: person('rosa') });
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'taken', { ...person('taken'), email: 'rosa@example.com' });
    await space.create('Person', 'well', person('well'));
    await space.reason('Person', 'well', 'Converged');
    assert.match(await space.reason('Person', 'taken', 'EmailTaken'), /which the person rosa has/);
    assert.equal(await find('taken'), undefined);
    await space.remove('Person', 'taken');
    await space.gone('Person', 'taken');
  });

  it('is told of in an event, once, when it does not become ready, and when it does after all', async () => {
    const space = await suite.all.namespace();
    const { warnings } = await suite.operate({ driftMs: 300 });
    await space.create('Person', 'told', { ...person('told'), email: 'rosa@example.com' });
    await space.reason('Person', 'told', 'EmailTaken');
    // Several looks find the same, which is nothing to tell.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await space.patch('Person', 'told', { spec: { email: 'told@example.com' } });
    await space.reason('Person', 'told', 'Converged');
    const events = async () => {
      const path = `/apis/events.k8s.io/v1/namespaces/${space.name}/events`;
      const { items } = await ask<{ items: { type: string; reason: string; regarding: { name: string } }[] }>(
        suite.all.kube,
        'GET',
        path,
      );
      return items.filter(({ regarding }) => regarding.name === 'told').map(({ type, reason }) => `${type} ${reason}`);
    };
    await until(async () => (await events()).length >= 2, 'the events');
    assert.deepEqual((await events()).sort(), ['Normal Converged', 'Warning EmailTaken']);
    assert.deepEqual(warnings, []);
  });

  it('belongs to the older of two objects that claim it; the other one writes nothing and may go', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'owner', person('shared'));
    await space.reason('Person', 'owner', 'Converged');
    // Names of objects and moments of creation are compared in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await space.create('Person', 'claimant', { ...person('shared'), locked: true });
    assert.match(await space.reason('Person', 'claimant', 'Conflict'), /Person\/owner declares the same Person/);
    assert.equal((await find('shared'))?.isLocked, false);
    await space.remove('Person', 'claimant');
    await space.gone('Person', 'claimant');
    assert.ok((await find('shared')) !== undefined, 'what the owner declares was removed');
  });

  it('is left alone while it is paused, and only watched when it is observed', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'paused', person('paused'), { 'rolecall.dev/paused': 'true' });
    await space.create('Person', 'observed', { ...person('observed'), managementPolicy: 'Observe' });
    await space.reason('Person', 'paused', 'Paused');
    assert.match(await space.reason('Person', 'observed', 'ChangesPending'), /create observed/);
    assert.deepEqual([await find('paused'), await find('observed')], [undefined, undefined]);
    assert.deepEqual((await space.get('Person', 'observed'))?.metadata.finalizers, undefined);
    await space.patch('Person', 'paused', { metadata: { annotations: { 'rolecall.dev/paused': null } } });
    await space.reason('Person', 'paused', 'Converged');
  });

  it('stays in the workspace when its definition says so', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'orphan', person('orphan'));
    await space.reason('Person', 'orphan', 'Converged');
    await space.patch('Person', 'orphan', { spec: { deletionPolicy: 'Orphan' } });
    await space.reason('Person', 'orphan', 'Converged');
    await space.remove('Person', 'orphan');
    await space.gone('Person', 'orphan');
    assert.ok((await find('orphan')) !== undefined);
  });

  it('is not removed while it is protected', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'safe', person('safe'), { 'rolecall.dev/protected': 'true' });
    await space.reason('Person', 'safe', 'Converged');
    await space.remove('Person', 'safe');
    assert.match(await space.reason('Person', 'safe', 'Protected'), /rolecall\.dev\/protected/);
    assert.ok((await find('safe')) !== undefined);
    await space.patch('Person', 'safe', { metadata: { annotations: { 'rolecall.dev/protected': null } } });
    await space.gone('Person', 'safe');
    assert.equal(await find('safe'), undefined);
  });
});
