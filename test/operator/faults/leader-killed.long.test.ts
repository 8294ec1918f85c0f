import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useCluster } from '../support/suite.ts';
import { inProcessThatLeads } from './process.ts';

describe('a leader that is killed', requires('kubernetes'), () => {
  const suite = useCluster();

  it('is followed by one that has listed everything anew before the Lease runs out, and lists nothing after it', async () => {
    const space = await suite.all.namespace();
    const lease = { namespace: space.name, name: 'rolecall-operator' };
    const path = `/apis/coordination.k8s.io/v1/namespaces/${space.name}/leases/rolecall-operator`;
    const kill = await inProcessThatLeads(suite.all, space.name);
    await until(() => ask(suite.all.kube, 'GET', path).then(Boolean, () => false), 'a leader');
    await space.create('Person', 'before', person('before'));
    await space.reason('Person', 'before', 'Converged');
    const second = await suite.operate({ namespace: space.name, lease });
    const lists: number[] = [];
    const watches = suite.all.proxy.requests.length;
    await until(
      () => suite.all.proxy.requests.slice(watches).filter(({ path: asked }) => asked.includes('watch=1')).length >= 7,
      'the second one to follow everything',
    );
    suite.all.proxy.fault = (request) => {
      if (request.path.endsWith('/people')) lists.push(Date.now());
      return undefined;
    };
    await kill();
    await until(() => second.log.some((line) => line.includes('leads')), 'the second one to lead');
    const leads = Date.now();
    await space.create('Person', 'after', person('after'));
    await space.reason('Person', 'after', 'Converged');
    assert.equal(lists.length, 1, 'people were listed once');
    assert.ok(leads - lists[0]! > 1_000, `${leads - lists[0]!} ms before`);
  });
});
