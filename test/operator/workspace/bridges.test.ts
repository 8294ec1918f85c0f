import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('a permission that a run granted for its own time', () => {
  const suite = useInstallation();

  it('is ended by the next run where the run failed in between', async () => {
    const workspace = await suite.startWorkspace();
    const rails = { maxRemovalPercent: 100, minimumRemoval: 1_000 };
    const space = await suite.all.namespace({ rails }, workspace);
    await suite.operate({ namespace: space.name });
    const permissions = () => workspace.client.call('listPermissions', {});
    for (const name of ['ada', 'bob']) await space.create('Person', name, person(name));
    for (const name of ['billing', 'shop'])
      await space.create('DataSource', name, { uri: `postgresql://reporting@127.0.0.1:5432/${name}` });
    const [one, two] = [
      { people: ['ada'], dataSources: ['billing'] },
      { people: ['bob'], dataSources: ['shop'] },
    ];
    await space.create('Role', 'one', one);
    await space.create('Role', 'two', two);
    await space.reason('Role', 'one', 'Converged');
    await space.reason('Role', 'two', 'Converged');
    let isFailing = true;
    workspace.proxy.fault = ({ method }) => (method === 'DELETE' && isFailing ? { answer: 500 } : undefined);
    await Promise.all([space.patch('Role', 'one', { spec: two }), space.patch('Role', 'two', { spec: one })]);
    await until(async () => (await permissions()).length > 0, 'a permission for the time of the run');
    await until(async () => readyOf(await space.get('Role', 'one'))?.status === 'False', 'the run to fail');
    isFailing = false;
    await space.reason('Role', 'one', 'Converged');
    await space.reason('Role', 'two', 'Converged');
    await until(async () => (await permissions()).length === 0, 'the end of that permission');
  });
});
