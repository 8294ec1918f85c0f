import assert from 'node:assert/strict';
import { ask } from '../../support/kubernetes/admin-client.ts';
import { isWrite } from '../../support/request-fault.ts';
import { type Installation, readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { startWorkspace } from '../support/workspace.ts';

const minute = 60_000;
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

/** Lets an operator with objects of every kind be, for hours, and holds it to what it may ask then. */
export async function staySettled(all: Installation, hours: number, driftMs: number): Promise<void> {
  const workspace = await startWorkspace();
  const space = await all.namespace({}, workspace);
  await ask(all.kube, 'POST', `/api/v1/namespaces/${space.name}/secrets`, {
    metadata: { name: 'billing-db' },
    stringData: { password: 'kept' },
  });
  const simulation = await simulate(all, workspace, { namespace: space.name, driftMs });
  try {
    const objects: [string, string, Record<string, unknown>][] = [
      ['Person', 'ada', { name: 'Ada', email: 'ada@example.com' }],
      ['DataSource', 'billing', { uri, passwordFrom: { secretKeyRef: { name: 'billing-db', key: 'password' } } }],
      ['Role', 'analysts', { people: ['ada'], dataSources: ['billing'] }],
      ['Person', 'grace', { name: 'Grace', email: 'grace@example.com' }],
      ['RoleMembership', 'grace', { role: 'analysts', person: 'grace' }],
      ['Permission', 'ada', { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z' }],
      ['Snippet', 'top', { text: 'select 1', owner: { role: 'analysts' } }],
    ];
    for (const [kind, name, spec] of objects) await space.create(kind, name, spec);
    const isReady = async ([kind, name]: (typeof objects)[number]) =>
      readyOf(await space.get(kind, name))?.status === 'True';
    await simulation.passUntil(async () => (await Promise.all(objects.map(isReady))).every(Boolean), minute);
    // What was made is compared once, with what is there.
    await simulation.pass(2 * driftMs);
    const [kube, service] = [all.proxy.requests.length, workspace.proxy.requests.length];
    await simulation.pass(hours * 60 * minute);
    const writes = all.proxy.requests.slice(kube).filter(isWrite);
    assert.deepEqual(writes, [], 'something was written');
    const counts = new Map<string, number>();
    for (const { method, path } of workspace.proxy.requests.slice(service)) {
      const call = `${method} ${path.replaceAll(/\/[A-Za-z0-9]{12}\b/g, '/:id')}`;
      counts.set(call, (counts.get(call) ?? 0) + 1);
    }
    const periods = Math.round((hours * 60 * minute) / driftMs);
    assert.deepEqual([...counts], [['GET /api/v2/snapshot?include=snippets', periods]]);
  } finally {
    await simulation.operator.stop();
    all.proxy.fault = () => undefined;
    await workspace.stop();
  }
}
