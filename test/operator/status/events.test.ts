import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

describe('what the operator did to access', () => {
  const suite = useInstallation();

  async function start(spec: Record<string, unknown> = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ rails: { maxRemovalPercent: 100 }, ...spec }, workspace);
    const operator = await suite.operate({ driftMs: 300 });
    const events = async (name: string) => {
      const path = `/apis/events.k8s.io/v1/namespaces/${space.name}/events`;
      const { items } = await ask<{ items: SeenEvent[] }>(suite.all.kube, 'GET', path);
      return items
        .filter(({ regarding }) => `${regarding.kind}/${regarding.name}` === name)
        .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
    };
    return { client: workspace.client, space, operator, events };
  }

  it('is a line of the log for each call, and no event where it is made for the first time', async () => {
    const { space, operator, events } = await start();
    const { name: namespace } = space;
    const stringData = { password: 'hunter2' };
    await ask(suite.all.kube, 'POST', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'db' },
      stringData,
    });
    const passwordFrom = { secretKeyRef: { name: 'db', key: 'password' } };
    await space.create('DataSource', 'shop', { uri: 'postgresql://reporting@127.0.0.1:5432/billing', passwordFrom });
    await space.create('Person', 'ada', person('ada'));
    await space.create('Permission', 'ada-shop', {
      person: 'ada',
      dataSource: 'shop',
      expiresAt: '2099-01-01T00:00:00Z',
    });
    await space.reason('Permission', 'ada-shop', 'Converged');
    assert.ok(
      operator.log.includes(
        `${namespace}: Permission/ada-shop: grant ada shop from now to 2099-01-01T00:00Z (declared, and missing)`,
      ),
      operator.log.join('\n'),
    );
    const granted = operator.steps.find(({ operation }) => operation === 'createPermission');
    assert.deepEqual([granted?.namespace, granted?.kind, granted?.name], [namespace, 'Permission', 'ada-shop']);
    await space.remove('Permission', 'ada-shop');
    await space.gone('Permission', 'ada-shop');
    assert.equal(operator.steps.filter(({ operation }) => operation === 'deletePermission').length, 1);
    assert.deepEqual(await events('Permission/ada-shop'), []);
    assert.deepEqual(await events('Workspace/workspace'), []);
    assert.doesNotMatch(JSON.stringify([operator.log, operator.steps]), /hunter2/);
  });

  it('is an event of the object where drift was put right', async () => {
    const { client, space, events } = await start();
    await space.create('Person', 'ada', person('ada'));
    await space.create('Person', 'grace', person('grace'));
    await space.create('Role', 'analysts', { people: ['ada'] });
    await space.reason('Role', 'analysts', 'Converged');
    await space.reason('Person', 'grace', 'Converged');
    const [role] = await client.call('listRoles', {});
    const grace = (await client.call('listPeople', {})).find(({ username }) => username === 'grace')!;
    await client.call('addRolePerson', { params: { role: role!.id, person: grace.id } });
    await until(async () => (await events('Role/analysts')).length > 0, 'the event');
    assert.deepEqual(await events('Role/analysts'), ['Normal Corrected: Remove grace from analysts.']);
    assert.deepEqual(await events('Person/grace'), []);
  });

  it('is one event of the Workspace where something was removed that no one declares', async () => {
    const { client, space, operator, events } = await start({ exact: ['roles'] });
    await space.create('Role', 'kept', {});
    await space.reason('Role', 'kept', 'Converged');
    await client.call('createRole', { body: { name: 'by hand' } });
    await until(async () => (await events('Workspace/workspace')).length > 0, 'the event');
    const [event = ''] = await events('Workspace/workspace');
    assert.match(event, /^Normal Removed: No object declares it: Delete .*by hand.*\.$/);
    assert.equal(operator.steps.filter(({ operation }) => operation === 'deleteRole').length, 1);
  });
});
