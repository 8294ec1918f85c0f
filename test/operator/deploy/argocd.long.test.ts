import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kindNames, kinds } from '@rolecall/crds';
import { connectionOf, HttpSession, systemClock } from '@rolecall/operator';
import { parse } from 'yaml';
import { requires } from '../../support/databases/parts.ts';
import { type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { argoHealth, type Health } from '../support/argo-health.ts';
import { person } from '../support/definitions.ts';
import { type Cluster, type Operating, readyOf, startCluster } from '../support/installation.ts';

const config = path.resolve(import.meta.dirname, '../../../operator/deploy/argocd/argocd-cm.yaml');
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

describe('the health checks for Argo CD', requires('kubernetes'), () => {
  let all: Cluster;
  let operator: Operating;
  const watching = new AbortController();
  /** Every state of every object that there was, as a watch of Argo CD sees them. */
  const seen: KubeObject[] = [];
  const scripts = new Map<string, string>();

  const healthOf = (object: KubeObject): Health => argoHealth(scripts.get(object.kind ?? '') ?? '', object);

  before(async () => {
    const { data } = parse(await readFile(config, 'utf8')) as { data: Record<string, string> };
    for (const [key, script] of Object.entries(data)) scripts.set(key.split('_').at(-1) ?? '', script);
    all = await startCluster();
    const connection = await connectionOf(all.server.kubeconfig);
    const session = new HttpSession({ connection, clock: systemClock, userAgent: 'watch' });
    for (const kind of kindNames) {
      void session
        .watch(
          `/apis/rolecall.dev/v1alpha1/${kinds[kind].plural}?watch=1`,
          (event) => seen.push((event as { object: KubeObject }).object),
          watching.signal,
        )
        .catch(() => undefined);
    }
    watching.signal.addEventListener('abort', () => void session[Symbol.asyncDispose]());
    operator = await all.operate({ driftMs: 500 });
  });
  after(async () => {
    watching.abort();
    await operator.stop();
    await all.stop();
  });

  it('are there for every kind', () => {
    assert.deepEqual([...scripts.keys()].sort(), [...kindNames].sort());
  });

  it('tell what is converged, what waits, what someone has to mend, and what is left alone', async () => {
    const space = await all.namespace();
    const expected: [string, string, Record<string, unknown>, string, string, Record<string, string>?][] = [
      ['Person', 'ada', person('ada'), 'Converged', 'Healthy'],
      ['DataSource', 'billing', { uri }, 'Converged', 'Healthy'],
      ['Role', 'analysts', { people: ['ada'] }, 'Converged', 'Healthy'],
      ['RoleMembership', 'member', { role: 'analysts', person: 'ada' }, 'Converged', 'Healthy'],
      ['Permission', 'allowed', { person: 'ada', dataSource: 'billing', duration: '8h' }, 'Converged', 'Healthy'],
      ['Snippet', 'top', { text: 'select 1' }, 'Converged', 'Healthy'],
      ['Role', 'waits', { people: ['nobody'] }, 'MissingReference', 'Progressing'],
      ['DataSource', 'stuck', { uri, passwordFrom: { env: 'HOME' } }, 'Unsupported', 'Degraded'],
      ['Person', 'left', person('left'), 'Paused', 'Suspended', { 'rolecall.dev/paused': 'true' }],
      ['Role', 'looked-at', { managementPolicy: 'Observe' }, 'ChangesPending', 'Suspended'],
    ];
    for (const [kind, name, spec, , , annotations] of expected) await space.create(kind, name, spec, annotations);
    for (const [kind, name, , reason, status] of expected) {
      const message = await space.reason(kind, name, reason);
      const object = await space.get(kind, name);
      assert.deepEqual(object && healthOf({ kind, ...object }), { status, message }, `${kind}/${name}`);
    }
    const workspace = await space.get('Workspace', 'workspace');
    assert.equal(workspace && healthOf(workspace).status, 'Healthy');
  });

  it('never call a generation healthy that the operator has not seen', async () => {
    const space = await all.namespace();
    await space.create('Snippet', 'changing', { text: 'select 1' });
    for (const text of ['select 2', 'select 3', 'select 4']) {
      await space.patch('Snippet', 'changing', { spec: { text } });
      await space.reason('Snippet', 'changing', 'Converged');
    }
    const last = await space.get('Snippet', 'changing');
    assert.equal(last?.metadata.generation, 4);
    await until(() => seen.some((one) => one.metadata.resourceVersion === last.metadata.resourceVersion));
    const unobserved = seen.filter(({ metadata, status }) => status?.['observedGeneration'] !== metadata.generation);
    // Each object was there before the operator saw it, and each change as well.
    assert.ok(unobserved.length > 15, String(unobserved.length));
    for (const object of unobserved) assert.equal(healthOf(object).status, 'Progressing', JSON.stringify(object));
    const observed = seen.filter((object) => !unobserved.includes(object));
    const isHealthy = observed.filter((object) => healthOf(object).status === 'Healthy');
    assert.ok(isHealthy.length > 5);
    for (const object of isHealthy) assert.equal(readyOf(object)?.status, 'True');
    for (const object of isHealthy) {
      const changed = {
        ...object,
        metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 },
      };
      assert.equal(healthOf(changed).status, 'Progressing');
      const half = { ...changed, status: { ...object.status, observedGeneration: changed.metadata.generation } };
      assert.equal(healthOf(half).status, 'Progressing', 'a condition about an older generation');
    }
  });
});
