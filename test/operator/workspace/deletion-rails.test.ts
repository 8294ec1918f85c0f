import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

const names = Array.from({ length: 12 }, (_, index) => `person-${index}`);
const [gone, left] = [names.slice(0, 10), names.slice(10)];

describe('objects that are deleted together', () => {
  const suite = useInstallation();

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    for (const name of names) await space.create('Person', name, person(name));
    const operating = await suite.operate({ namespace: space.name });
    for (const name of names) await space.reason('Person', name, 'Converged');
    const usernames = async () =>
      (await workspace.client.call('listPeople', {})).map(({ username }) => username).toSorted();
    // As one command does: what is deleted while no operator runs comes to the next one together.
    const deleteTogether = async () => {
      await operating.stop();
      for (const name of gone) await space.remove('Person', name);
      await suite.operate({ namespace: space.name });
    };
    return { workspace, space, usernames, deleteTogether };
  }

  it('wait where they are too large a share, say so, and go once that is overridden', async () => {
    const { space, usernames, deleteTogether } = await start();
    await deleteTogether();
    for (const name of gone) {
      const said = await space.reason('Person', name, 'RemovalShare');
      assert.match(said, /take away 10 of the 12 people \(83 %/);
      assert.match(said, /spec\.overrides of the Workspace: "removal-share:people until/);
      assert.match(said, /To leave it in the workspace, annotate it with rolecall\.dev\/released: "true"/);
    }
    assert.deepEqual(await usernames(), names.toSorted());
    // What is not refused goes on meanwhile, and the Workspace has nothing to say.
    await space.create('Person', 'late', person('late'));
    await space.reason('Person', 'late', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
    const token = 'removal-share:people until 2099-01-01 because a team left';
    await space.patch('Workspace', 'workspace', { spec: { overrides: [token] } });
    for (const name of gone) await space.gone('Person', name);
    assert.deepEqual(await usernames(), ['late', ...left].toSorted());
  });

  it('stay in the workspace where they are released', async () => {
    const { space, usernames, deleteTogether } = await start();
    await deleteTogether();
    for (const name of gone) await space.reason('Person', name, 'RemovalShare');
    for (const name of gone)
      await space.patch('Person', name, { metadata: { annotations: { 'rolecall.dev/released': 'true' } } });
    for (const name of gone) await space.gone('Person', name);
    assert.deepEqual(await usernames(), names.toSorted());
  });
});

describe('an object that another manager wrote last', () => {
  const suite = useInstallation();

  it('waits once it is deleted, until the Workspace allows the removal', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const { id: keyId, secret: keySecret } = workspace.key;
    const other = createClient({ url: workspace.proxy.url, keyId, keySecret, manager: 'terraform/acme' });
    await other.call('createPerson', { body: person('ada') });
    await other.close();
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    await space.remove('Person', 'ada');
    assert.match(await space.reason('Person', 'ada', 'FirstRemoval'), /of terraform\/acme.*allowFirstRemoval/);
    await space.patch('Workspace', 'workspace', { spec: { rails: { allowFirstRemoval: true } } });
    await space.gone('Person', 'ada');
    assert.deepEqual(await workspace.client.call('listPeople', {}), []);
  });
});

describe('an object that falls with another one', () => {
  const suite = useInstallation();

  it('waits for the one that takes it along, and says so, where that cannot be removed', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const uri = 'postgresql://reader@127.0.0.1:5432/billing';
    await space.create('Person', 'ada', person('ada'));
    await space.create('DataSource', 'billing', { uri });
    const window = { expiresAt: '2099-01-01T00:00:00Z' };
    await space.create('Permission', 'ada-billing', { person: 'ada', dataSource: 'billing', ...window });
    const operating = await suite.operate({ namespace: space.name });
    await space.reason('Permission', 'ada-billing', 'Converged');
    await operating.stop();
    workspace.proxy.fault = ({ method }) => (method === 'DELETE' ? { answer: 500 } : undefined);
    for (const [kind, name] of [['Person', 'ada'] as const, ['Permission', 'ada-billing'] as const])
      await space.remove(kind, name);
    await suite.operate({ namespace: space.name });
    await until(async () =>
      /goes together with Person\/ada/.test(readyOf(await space.get('Permission', 'ada-billing'))?.message ?? ''),
    );
    await space.reason('Person', 'ada', 'Failed');
    workspace.proxy.fault = () => undefined;
    await space.gone('Permission', 'ada-billing');
    await space.gone('Person', 'ada');
    const deletions = workspace.proxy.requests.filter(({ method }) => method === 'DELETE');
    assert.ok(
      deletions.every(({ path }) => path.includes('/person/')),
      'it needed no call of its own',
    );
  });
});
