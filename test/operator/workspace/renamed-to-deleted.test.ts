import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('an object that takes the name of one that is deleted at the same time', () => {
  const suite = useInstallation();

  it('keeps its own snippet, and the other one goes', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    const snippets = () => workspace.client.call('listSnippets', {});
    await space.create('Snippet', 'one', { name: 'first', text: 'select 1' });
    await space.create('Snippet', 'two', { name: 'second', text: 'select 2' });
    await space.reason('Snippet', 'one', 'Converged');
    await space.reason('Snippet', 'two', 'Converged');
    const kept = (await space.get('Snippet', 'two'))?.status?.['id'];
    await Promise.all([space.remove('Snippet', 'one'), space.patch('Snippet', 'two', { spec: { name: 'first' } })]);
    await space.gone('Snippet', 'one');
    await space.reason('Snippet', 'two', 'Converged');
    assert.deepEqual(
      (await snippets()).map(({ id, activeVersion: { name, text } }) => [id, name, text]),
      [[kept, 'first', 'select 2']],
    );
  });

  it('takes the name once the person or data source that has it is gone', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'one', person('one'));
    await space.create('Person', 'two', person('two'));
    const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
    await space.create('DataSource', 'one', { alias: 'one', name: 'One', uri });
    await space.create('DataSource', 'two', { alias: 'two', name: 'Two', uri });
    for (const kind of ['Person', 'DataSource'])
      for (const name of ['one', 'two']) await space.reason(kind, name, 'Converged');
    const { name, email } = person('one');
    await Promise.all([
      space.remove('Person', 'one'),
      space.patch('Person', 'two', { spec: { username: 'one', name, email } }),
      space.remove('DataSource', 'one'),
      space.patch('DataSource', 'two', { spec: { alias: 'one' } }),
    ]);
    for (const kind of ['Person', 'DataSource']) {
      await space.gone(kind, 'one');
      await space.reason(kind, 'two', 'Converged');
    }
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(
      people.map(({ username }) => username),
      ['one'],
    );
    const dataSources = await workspace.client.call('listDataSources', {});
    assert.deepEqual(
      dataSources.map(({ alias, name: shown }) => [alias, shown]),
      [['one', 'Two']],
    );
  });

  it('takes over the snippet of the other one where it has none of its own', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('Snippet', 'one', { name: 'first', text: 'select 1' });
    await space.reason('Snippet', 'one', 'Converged');
    const kept = (await space.get('Snippet', 'one'))?.status?.['id'];
    await space.create('Snippet', 'two', { name: 'first', text: 'select 1' });
    // Of two that were made in one second, either may be the older one.
    const reasonOf = async (name: string) => readyOf(await space.get('Snippet', name))?.reason ?? '';
    const reasons = async () => [await reasonOf('one'), await reasonOf('two')];
    await until(async () => (await reasons()).sort().join() === 'Conflict,Converged', 'a conflict');
    const [owner, other] =
      (await reasonOf('one')) === 'Converged' ? (['one', 'two'] as const) : (['two', 'one'] as const);
    await space.remove('Snippet', owner);
    await space.gone('Snippet', owner);
    await space.reason('Snippet', other, 'Converged');
    const left = await workspace.client.call('listSnippets', {});
    assert.deepEqual(
      left.map(({ id }) => id),
      [kept],
    );
  });
});

describe('a role that is renamed', () => {
  const suite = useInstallation();

  it('has someone always whom it lists from now on, and who had it for a time', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'ada', person('ada'));
    await space.create('Role', 'one', { name: 'old', people: [] });
    const times = { startsAt: '2080-01-01T00:00:00Z', expiresAt: '2090-01-01T00:00:00Z' };
    await space.create('RoleMembership', 'ada-one', { role: 'one', person: 'ada', ...times });
    await space.reason('RoleMembership', 'ada-one', 'Converged');
    await space.patch('Role', 'one', { spec: { name: 'new', people: ['ada'] } });
    await space.reason('Role', 'one', 'Converged');
    const [role] = await workspace.client.call('listRoles', {});
    const people = await workspace.client.call('listRolePeople', { params: { role: role!.id } });
    assert.deepEqual(
      people.map(({ username, windows }) => [role?.name, username, windows]),
      [['new', 'ada', undefined]],
    );
  });

  it('is not as declared while someone it lists cannot be made', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('DataSource', 'shop', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' });
    await space.create('Role', 'one', { name: 'old', people: [], dataSources: [] });
    await space.reason('DataSource', 'shop', 'Converged');
    await space.reason('Role', 'one', 'Converged');
    let tries = 0;
    workspace.proxy.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/person')) return undefined;
      tries += 1;
      return { answer: 500 };
    };
    await Promise.all([
      space.create('Person', 'late', person('late')),
      space.patch('Role', 'one', { spec: { name: 'new', people: ['late'] } }),
    ]);
    const roles = async () => (await workspace.client.call('listRoles', {})).map(({ name }) => name).sort();
    // Then the person waits for the next try.
    await until(async () => tries >= 2 && (await roles()).includes('new'), 'tries');
    await space.reason('Person', 'late', 'Failed');
    await space.patch('Role', 'one', { spec: { dataSources: ['shop'] } });
    await space.reason('Role', 'one', 'Waiting');
    workspace.proxy.fault = () => undefined;
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await roles(), ['new']);
  });
});
