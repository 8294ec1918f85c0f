import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('a role that selects data sources by label', () => {
  const suite = useInstallation();
  const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
  const label = (tier: string | null) => ({ metadata: { labels: { tier } } });

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ rails: { maxRemovalPercent: 100 } }, workspace);
    // The workspace is compared once an hour: nothing but a change brings another reconcile.
    await suite.operate();
    const inRole = async (kind: 'People' | 'DataSources'): Promise<string> => {
      const [role] = await workspace.client.call('listRoles', {});
      const members = await workspace.client.call(`listRole${kind}`, { params: { role: role?.id ?? '' } });
      return members
        .map((one) => ('username' in one ? one.username : (one.alias ?? '')))
        .sort()
        .join();
    };
    const reaches = (aliases: string) =>
      until(async () => (await inRole('DataSources')) === aliases, `a role that reaches ${aliases}`);
    for (const name of ['a', 'b']) {
      await space.create('DataSource', name, { uri });
      await space.reason('DataSource', name, 'Converged');
    }
    await space.patch('DataSource', 'a', label('gold'));
    await space.create('Role', 'r', { people: [], dataSourceSelector: { matchLabels: { tier: 'gold' } } });
    await space.reason('Role', 'r', 'Converged');
    await reaches('a');
    return { space, inRole, reaches };
  }

  it('follows labels that come and go, new data sources, and its own selector', async () => {
    const { space, reaches } = await start();
    await space.patch('DataSource', 'b', label('gold'));
    await reaches('a,b');
    await space.patch('DataSource', 'a', label(null));
    await reaches('b');
    await space.create('DataSource', 'c', { uri });
    await space.patch('DataSource', 'c', label('gold'));
    await reaches('b,c');
    await space.remove('DataSource', 'b');
    await space.gone('DataSource', 'b');
    await reaches('c');
    await space.patch('DataSource', 'a', label('iron'));
    await space.patch('Role', 'r', { spec: { dataSourceSelector: { matchLabels: { tier: 'iron' } } } });
    await reaches('a');
    await space.reason('Role', 'r', 'Converged');
  });

  it('keeps its data sources, and not its people, while it is not known what is labelled', async () => {
    const { space, inRole, reaches } = await start();
    await space.create('Person', 'ada', person('ada'));
    await space.patch('Role', 'r', { spec: { people: ['ada'] } });
    await until(async () => (await inRole('People')) === 'ada');
    for (const one of suite.running.splice(0)) await one.stop();
    // Only the operator finds what is wrong with it, and this one never knew what it was.
    await space.patch('DataSource', 'a', { spec: { uri: `${uri}?no_such_parameter=1` } });
    await suite.operate();
    await space.reason('DataSource', 'a', 'Invalid');
    await space.patch('Role', 'r', { spec: { people: [] } });
    await until(async () => (await inRole('People')) === '', 'nobody in the role');
    assert.equal(await inRole('DataSources'), 'a');
    assert.match(await space.reason('Role', 'r', 'Undetermined'), /data sources stay as they are.*DataSource\/a/);
    await space.patch('DataSource', 'b', label('gold'));
    await space.patch('DataSource', 'a', { spec: { uri } });
    await reaches('a,b');
    await space.reason('Role', 'r', 'Converged');
  });

  it('says so as soon as a new data source is not valid, and follows once that one is deleted', async () => {
    const { space, reaches } = await start();
    await space.create('DataSource', 'c', { uri: `${uri}?no_such_parameter=1` });
    await space.reason('DataSource', 'c', 'Invalid');
    assert.match(await space.reason('Role', 'r', 'Undetermined'), /DataSource\/c/);
    await space.patch('DataSource', 'b', label('gold'));
    await space.reason('DataSource', 'b', 'Converged');
    await space.create('Role', 'new', { people: [], dataSourceSelector: { matchLabels: { tier: 'gold' } } });
    await space.reason('Role', 'new', 'Undetermined');
    await space.remove('DataSource', 'c');
    await space.reason('Role', 'r', 'Converged');
    await space.reason('Role', 'new', 'Converged');
    await reaches('a,b');
  });
});
