import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { person } from '../support/definitions.ts';
import { clusterTools } from '../support/kubectl.ts';
import { useCluster } from '../support/suite.ts';

const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

describe('the columns of kubectl get', requires('kubernetes', 'kubectl'), () => {
  const suite = useCluster();

  it('say in columns what they are called in the workspace, also where that is their own name', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'own', { name: 'Own', email: 'own@example.com' });
    await space.create('Person', 'given', { ...person('other'), email: 'given@example.com' });
    await space.create('DataSource', 'shop', { uri });
    await space.create('Role', 'readers', { people: ['own'] });
    await space.create('Snippet', 'top', { text: 'select 1' });
    const columns = async (kind: string, name: string) => {
      await space.reason(kind, name, 'Converged');
      const args = ['get', `${kind.toLowerCase()}.rolecall.dev`, name, '-n', space.name, '--no-headers'];
      return (await tools.kubectl(args)).stdout.split(/\s+/);
    };
    await using tools = await clusterTools(suite.all.server.kubeconfig);
    assert.deepEqual((await columns('Person', 'own')).slice(0, 2), ['own', 'own']);
    assert.deepEqual((await columns('Person', 'given')).slice(0, 2), ['given', 'other']);
    assert.deepEqual((await columns('DataSource', 'shop')).slice(0, 2), ['shop', 'shop']);
    assert.deepEqual((await columns('Role', 'readers')).slice(0, 2), ['readers', 'readers']);
    assert.deepEqual((await columns('Snippet', 'top')).slice(0, 2), ['top', 'top']);
    const expiresAt = '2099-01-01T00:00:00.000Z';
    await space.create('RoleMembership', 'turn', { role: 'readers', person: 'given', expiresAt });
    assert.deepEqual((await columns('RoleMembership', 'turn')).slice(3, 5), ['Active', expiresAt]);
  });
});
