import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseConnectionUri } from '@rolecall/api';
import { OperatorMetrics, systemClock } from '@rolecall/operator';
import { operatorMetricTable } from '../../../operator/metrics/table.ts';
import { valueOf } from '../../server/support/metrics.ts';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { type Installation, type Operating, startInstallation } from '../support/installation.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

describe('the metrics of a running operator', () => {
  let all: Installation;
  let metrics: OperatorMetrics;
  let running: Operating;
  /** Where no one else makes anything. */
  let own: TestWorkspace;

  before(async () => {
    all = await startInstallation();
    own = await startWorkspace();
    metrics = new OperatorMetrics(systemClock, 'api.test', '1.2.3');
    running = await all.operate({ metrics, driftMs: 300, lease: { namespace: 'default', name: 'measured' } });
  });
  after(async () => {
    await running.stop();
    await own.stop();
    await all.stop();
  });

  const value = (series: string) => valueOf(metrics.render(), series);

  it('say who leads, what is ready and what it asked the API server', async () => {
    const space = await all.namespace();
    await space.create('Person', 'ada', { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' });
    await space.create('Role', 'lost', { people: ['nobody'] });
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'lost', 'MissingReference');
    assert.equal(value('leader_election_master_status{name="measured"}'), 1);
    await until(() => value('rolecall_objects{kind="Person",ready="True"}') === 1);
    await until(() => value('rolecall_objects{kind="Role",ready="False"}') === 1);
    assert.equal(value('rolecall_objects{kind="Snippet",ready="True"}'), 0);
    await until(() => (value('controller_runtime_reconcile_total{controller="rolecall",result="success"}') ?? 0) > 0);
    assert.equal(value('controller_runtime_max_concurrent_reconciles{controller="rolecall"}'), 1);
    assert.ok((value('workqueue_adds_total{name="rolecall",controller="rolecall"}') ?? 0) > 0);
    assert.ok((value('rest_client_requests_total{code="200",method="PATCH",host="api.test"}') ?? 0) > 0);
    assert.equal(metrics.contact.unready(), undefined);
  });

  it('count what was changed by hand and put right, and nothing else, as drift', async () => {
    const space = await all.namespace();
    await space.create('Person', 'drifting', { username: 'drifting', name: 'Drifting', email: 'drifting@example.com' });
    await space.create('DataSource', 'shop', { uri });
    await space.reason('Person', 'drifting', 'Converged');
    await space.reason('DataSource', 'shop', 'Converged');
    await space.patch('Person', 'drifting', { spec: { locked: true } });
    await space.reason('Person', 'drifting', 'Converged');
    const drift = (kind: string) => value(`rolecall_drift_corrected_total{kind="${kind}"}`);
    assert.equal(drift('Person'), 0);
    const find = async () => (await all.service.call('listPeople', {})).find((one) => one.username === 'drifting');
    const person = await find();
    assert.equal(person?.isLocked, true);
    await all.service.call('unlockPerson', { params: { person: person.id } });
    await until(async () => (await find())?.isLocked === true, 'the repair');
    await until(() => drift('Person') === 1);
    assert.equal(drift('DataSource'), 0);
  });

  it('do not count a rotated password as drift, and one that was changed by hand once more', async () => {
    const space = await all.namespace();
    const secrets = `/api/v1/namespaces/${space.name}/secrets`;
    await ask(all.kube, 'POST', secrets, { metadata: { name: 'db' }, stringData: { password: 'first' } });
    const passwordFrom = { secretKeyRef: { name: 'db', key: 'password' } };
    await space.create('DataSource', 'rotated', { uri, passwordFrom });
    await space.reason('DataSource', 'rotated', 'Converged');
    const find = async () => (await all.service.call('listDataSources', {})).find(({ alias }) => alias === 'rotated')!;
    const password = async () => {
      const detail = await all.service.call('getDataSourceDetail', { params: { dataSource: (await find()).id } });
      return parseConnectionUri(detail.configUri).password;
    };
    const drift = () => value('rolecall_drift_corrected_total{kind="DataSource"}') ?? NaN;
    const before = drift();
    for (const next of ['second', 'third']) {
      const written = { stringData: { password: next } };
      await ask(all.kube, 'PATCH', `${secrets}/db`, written, 'application/merge-patch+json');
      await until(async () => (await password()) === next, `the password ${next}`);
    }
    const body = { configUri: uri.replace('@', ':by-hand@') };
    await all.service.call('updateDataSource', { params: { dataSource: (await find()).id }, body });
    await until(async () => (await password()) === 'third', 'the repair');
    await until(() => drift() > before);
    assert.equal(drift(), before + 1, 'a rotation was counted');
  });

  it('say what expires, and how late that was', async () => {
    const space = await all.namespace();
    await space.create('Person', 'timed', { username: 'timed', name: 'Timed', email: 'timed@example.com' });
    await space.create('DataSource', 'timed-db', { uri });
    const expiresAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 6_000).toISOString();
    await space.create('Permission', 'ends', { person: 'timed', dataSource: 'timed-db', expiresAt });
    await until(() => value('rolecall_permissions{state="Active"}') === 1);
    assert.equal(value('rolecall_permissions_expiring{within="1h"}'), 1);
    assert.equal(value('rolecall_permission_next_expiry_timestamp_seconds'), Date.parse(expiresAt) / 1000);
    await until(() => value('rolecall_permissions{state="Expired"}') === 1);
    assert.equal(value('rolecall_permissions_expiring{within="1h"}'), 0);
    assert.equal(value('rolecall_permission_transition_delay_seconds_count{state="Expired"}'), 1);
    assert.ok((value('rolecall_permission_transition_delay_seconds_sum{state="Expired"}') ?? 99) < 60);
  });

  it('count what no one declares and was removed, and whom someone put into the list of a role', async () => {
    const { client } = own;
    const rails = { maxRemovalPercent: 100 };
    const space = await all.namespace({ exact: ['people', 'permissions'], rails }, own);
    const removed = (kind: string) => value(`rolecall_undeclared_removed_total{kind="${kind}"}`);
    const expiresAt = '2099-01-01T00:00:00Z';
    await space.create('Person', 'ada', { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' });
    await space.create('DataSource', 'shop', { uri });
    // A list that was never written to would be asked about first.
    await space.create('Person', 'lin', { username: 'lin', name: 'Lin', email: 'lin@example.com' });
    await space.create('Role', 'analysts', { people: ['lin'] });
    await space.create('Permission', 'ada-shop', { person: 'ada', dataSource: 'shop', expiresAt });
    await space.reason('Role', 'analysts', 'Converged');
    await space.reason('Permission', 'ada-shop', 'Converged');
    assert.deepEqual([removed('Person'), removed('Permission'), removed('Role')], [0, 0, 0]);
    const [role] = await client.call('listRoles', {});
    const ada = (await client.call('listPeople', {})).find(({ username }) => username === 'ada');
    const [shop] = await client.call('listDataSources', {});
    const drift = () => value('rolecall_drift_corrected_total{kind="Role"}') ?? NaN;
    const before = drift();
    await client.call('addRolePerson', { params: { role: role!.id, person: ada!.id } });
    await until(() => drift() === before + 1, 'whom someone put into a role to be counted');
    await client.call('createPermission', {
      params: { person: ada!.id, dataSource: shop!.id },
      body: { duration: 60 },
    });
    await until(() => removed('Permission') === 1, 'the permission to be counted');
    await client.call('createPerson', { body: { username: 'guest', name: 'Guest', email: 'guest@example.com' } });
    await until(() => removed('Person') === 1, 'the person to be counted');
    assert.equal((await client.call('listPermissions', {})).length, 1);
  });

  it('have exactly the families that the documentation lists', () => {
    const shown = [...metrics.render().matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    assert.deepEqual(
      shown,
      Object.entries(operatorMetricTable).map(([name, { type }]) => [name, type]),
    );
    const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/kubernetes/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| (.*) \|$/gm)];
    assert.deepEqual(
      rows.map(([, name, type, labels, help]) => [name, type, labels?.trim(), help]),
      Object.entries(operatorMetricTable).map(([name, { type, help, labels }]) => [
        name,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        // Markdown would take it for HTML.
        help.replace('<error>', '`<error>`'),
      ]),
    );
  });
});
