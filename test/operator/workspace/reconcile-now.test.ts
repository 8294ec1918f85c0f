import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemBody } from '@rolecall/api';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

const annotation = 'rolecall.dev/reconcile-requested-at';

describe('a reconcile that someone asks for', () => {
  const suite = useInstallation();

  const request = (space: Namespace, kind: string, name: string, at: string) =>
    space.patch(kind, name, { metadata: { annotations: { [annotation]: at } } });
  const handled = (space: Namespace, kind: string, name: string, at: string) =>
    until(async () => (await space.get(kind, name))?.status?.['lastHandledReconcileAt'] === at, `${kind} handled`);
  const find = async (username: string) =>
    (await suite.all.service.call('listPeople', {})).find((one) => one.username === username);

  for (const [kind, name] of [
    ['Person', 'asked-person'],
    ['Workspace', 'workspace'],
  ] as const) {
    it(`puts right at once what was changed by hand, asked of a ${kind}, and repeats what it was asked`, async () => {
      const space = await suite.all.namespace();
      // Drift is looked for once an hour.
      await suite.operate();
      const username = `asked-${kind.toLowerCase()}`;
      await space.create('Person', username, person(username));
      await space.reason('Person', username, 'Converged');
      await suite.all.service.call('lockPerson', { params: { person: (await find(username))?.id ?? '' } });
      await request(space, kind, name, '2026-12-01T08:00:00Z');
      await handled(space, kind, name, '2026-12-01T08:00:00Z');
      await until(async () => (await find(username))?.isLocked === false, 'the repair');
      assert.equal((await space.get(kind, name))?.metadata.generation, 1);
    });
  }

  it('makes again what it refers to, which someone deleted by hand', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    const { service } = suite.all;
    await space.create('Person', 'gone', person('gone'));
    await space.create('Role', 'watch', { name: 'Watch', people: ['gone'] });
    await space.create('Snippet', 'of-watch', { text: 'select 1', owner: { role: 'watch' } });
    await space.reason('Snippet', 'of-watch', 'Converged');
    await space.reason('Role', 'watch', 'Converged');
    const role = (await service.call('listRoles', {})).find(({ name }) => name === 'Watch')?.id ?? '';
    const held = { params: { person: (await find('gone'))?.id ?? '' } };
    await service.call('deleteRole', { params: { role } });
    await service.call('lockPerson', held);
    await service.call('deletePerson', held);
    await request(space, 'Snippet', 'of-watch', 'now');
    await until(async () => (await find('gone')) !== undefined, 'the person');
    await handled(space, 'Snippet', 'of-watch', 'now');
    await space.reason('Snippet', 'of-watch', 'Converged');
    const [made, ...others] = (await service.call('listRoles', {})).filter(({ name }) => name === 'Watch');
    assert.deepEqual(others, []);
    const members = await service.call('listRolePeople', { params: { role: made?.id ?? '' } });
    assert.deepEqual(
      members.map(({ id }) => id),
      [(await find('gone'))?.id],
    );
  });

  it('tries again what the service had refused', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    const refusal = problemBody('invalid_fields', 'not like this');
    suite.all.workspace.proxy.fault = ({ method }) => (method === 'POST' ? { answer: 422, body: refusal } : undefined);
    await space.create('Person', 'refused', person('refused'));
    await space.reason('Person', 'refused', 'Refused');
    suite.all.workspace.proxy.fault = () => undefined;
    await request(space, 'Person', 'refused', 'again');
    await space.reason('Person', 'refused', 'Converged');
    await handled(space, 'Person', 'refused', 'again');
  });

  it('is had once for each request: the answer is written once', async () => {
    const space = await suite.all.namespace();
    await suite.operate({ driftMs: 200 });
    await space.create('Person', 'once', person('once'));
    await space.reason('Person', 'once', 'Converged');
    await request(space, 'Person', 'once', 'now');
    await handled(space, 'Person', 'once', 'now');
    const version = (await space.get('Person', 'once'))?.metadata.resourceVersion;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal((await space.get('Person', 'once'))?.metadata.resourceVersion, version);
  });
});
