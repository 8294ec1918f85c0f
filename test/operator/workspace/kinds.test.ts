import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { quiet } from '../faults/kill.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('the other kinds as custom resources', () => {
  const suite = useInstallation();

  const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

  const secret = (space: Namespace, name: string, password: string) =>
    ask(suite.all.kube, 'POST', `/api/v1/namespaces/${space.name}/secrets`, {
      metadata: { name },
      stringData: { password },
    });

  async function passwordOf(alias: string): Promise<string | undefined> {
    const found = (await suite.all.service.call('listDataSources', {})).find((one) => one.alias === alias);
    if (found === undefined) return undefined;
    const detail = await suite.all.service.call('getDataSourceDetail', { params: { dataSource: found.id } });
    return parseConnectionUri(detail.configUri).password;
  }

  it('wait for what they refer to, and are woken when it comes', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Role', 'waiting', { people: ['late'] });
    assert.match(await space.reason('Role', 'waiting', 'MissingReference'), /late/);
    await space.create('Person', 'late', person('late'));
    await space.reason('Role', 'waiting', 'Converged');
  });

  it('are made together, whatever order they come in, and removed together', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await secret(space, 'billing-db', 'first secret');
    const passwordFrom = { secretKeyRef: { name: 'billing-db', key: 'password' } };
    await space.create('Permission', 'p', { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z' });
    await space.create('Snippet', 's', { text: 'select 1', owner: { role: 'analysts' } });
    await space.create('RoleMembership', 'm', { role: 'analysts', person: 'ada' });
    await space.create('Role', 'analysts', { dataSources: ['billing'] });
    await space.create('DataSource', 'billing', { uri, passwordFrom });
    await space.create('Person', 'ada', person('ada'));
    const made = {
      DataSource: 'billing',
      Person: 'ada',
      Role: 'analysts',
      RoleMembership: 'm',
      Permission: 'p',
      Snippet: 's',
    };
    for (const [kind, name] of Object.entries(made)) await space.reason(kind, name, 'Converged');
    assert.equal((await space.get('Permission', 'p'))?.status?.['state'], 'Active');
    assert.equal(await passwordOf('billing'), 'first secret');
    const { name } = space;
    const text = JSON.stringify(await Promise.all(Object.entries(made).map(([kind, one]) => space.get(kind, one))));
    assert.doesNotMatch(text, /first secret/);
    for (const [kind, one] of Object.entries(made)) await space.remove(kind, one);
    await space.remove('Workspace', 'workspace');
    for (const [kind, one] of Object.entries(made)) await space.gone(kind, one);
    await space.gone('Workspace', 'workspace');
    const left = await Promise.all([
      suite.all.service.call('listRoles', {}),
      suite.all.service.call('listDataSources', {}),
    ]);
    assert.deepEqual(
      left.flat().filter((one) => one.name === 'analysts' || one.name === 'billing'),
      [],
      name,
    );
  });

  it('apply a password that was rotated', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('DataSource', 'rotated', {
      uri,
      passwordFrom: { secretKeyRef: { name: 'rotating', key: 'password' } },
    });
    assert.match(
      await space.reason('DataSource', 'rotated', 'SecretNotFound'),
      /Secret rotating is not in the namespace/,
    );
    await space.create('Role', 'readers', { dataSources: ['rotated'] });
    const said = await space.reason('Role', 'readers', 'MissingReference');
    assert.match(said, /needs DataSource\/rotated, which is held back itself .*See what DataSource\/rotated waits for/);
    await secret(space, 'rotating', 'one');
    await space.reason('DataSource', 'rotated', 'Converged');
    await space.reason('Role', 'readers', 'Converged');
    assert.equal(await passwordOf('rotated'), 'one');
    const stringData = { password: 'two' };
    await ask(
      suite.all.kube,
      'PATCH',
      `/api/v1/namespaces/${space.name}/secrets/rotating`,
      { stringData },
      'application/merge-patch+json',
    );
    await until(async () => (await passwordOf('rotated')) === 'two', 'the new password');
    assert.equal(formatConnectionUri(parseConnectionUri(uri)), uri);
  });

  it('begin and end permissions at their moment', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'timed', person('timed'));
    await space.create('DataSource', 'timed-db', { uri });
    const startsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 5_000).toISOString();
    await space.create('Permission', 'timed', { person: 'timed', dataSource: 'timed-db', startsAt, duration: '4s' });
    const state = async () => (await space.get('Permission', 'timed'))?.status?.['state'];
    const seen: [unknown, number][] = [];
    await until(async () => {
      const now = await state();
      if (now !== undefined && seen.at(-1)?.[0] !== now) seen.push([now, Date.now() - Date.parse(startsAt)]);
      return now === 'Expired';
    });
    assert.deepEqual(
      seen.map(([name]) => name),
      ['Pending', 'Active', 'Expired'],
    );
    for (const [, at] of seen.slice(1)) assert.ok(at >= 0, `${at} ms too early`);
    await space.reason('Permission', 'timed', 'Converged');
  });

  it('remember when a permission that gives only its length was granted', async () => {
    const space = await suite.all.namespace();
    const first = await suite.operate();
    await space.create('Person', 'length', person('length'));
    await space.create('DataSource', 'length-db', { uri });
    await space.create('Permission', 'length', { person: 'length', dataSource: 'length-db', duration: '8h' });
    await space.reason('Permission', 'length', 'Converged');
    const before = (await space.get('Permission', 'length'))?.status;
    await first.stop();
    await suite.operate({ driftMs: 200 });
    await space.patch('Permission', 'length', { metadata: { annotations: { 'rolecall.dev/protected': 'false' } } });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.deepEqual((await space.get('Permission', 'length'))?.status, before);
    const granted = (await suite.all.service.call('listPermissions', {})).filter(
      ({ person: who }) => who.username === 'length',
    );
    assert.deepEqual(
      granted.map(({ startsAt }) => startsAt),
      [before?.['startsAt']],
    );
  });

  it('grant nothing that is said to have ended, where only its length is given', async () => {
    const space = await suite.all.namespace();
    await space.create('Person', 'over', person('over'));
    await space.create('DataSource', 'over-db', { uri });
    const ended = { 'rolecall.dev/ended': 'true' };
    const spec = { person: 'over', dataSource: 'over-db', duration: '8h' };
    // Two of them do not stand in each other's way.
    for (const name of ['over', 'over-too']) await space.create('Permission', name, spec, ended);
    await suite.operate({ driftMs: 200 });
    await space.reason('DataSource', 'over-db', 'Converged');
    await space.reason('Person', 'over', 'Converged');
    const names = ['over', 'over-too'];
    const said = await Promise.all(names.map((name) => space.reason('Permission', name, 'Converged')));
    const granted = async () =>
      (await suite.all.service.call('listPermissions', {})).filter(({ person: who }) => who.username === 'over').length;
    assert.equal(await granted(), 0);
    for (const message of said) assert.match(message, /for the record/);
    for (const name of names) {
      const { state, startsAt, expiresAt } = (await space.get('Permission', name))?.status ?? {};
      assert.deepEqual({ state, startsAt, expiresAt }, { state: 'Expired', startsAt: undefined, expiresAt: undefined });
    }
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(await granted(), 0, 'it came with a look for drift');
    await space.remove('Permission', 'over-too');
    await space.gone('Permission', 'over-too');
    // Who takes it back means it to be granted.
    await space.patch('Permission', 'over', { metadata: { annotations: { 'rolecall.dev/ended': null } } });
    await until(async () => (await granted()) === 1, 'the grant');
  });

  it('take their text from a ConfigMap, and follow it', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    const maps = `/api/v1/namespaces/${space.name}/configmaps`;
    await ask(suite.all.kube, 'POST', maps, { metadata: { name: 'sql' }, data: { top: 'select 1' } });
    await space.create('Snippet', 'from-map', { textFrom: { configMapKeyRef: { name: 'sql', key: 'top' } } });
    await space.reason('Snippet', 'from-map', 'Converged');
    await ask(suite.all.kube, 'PATCH', `${maps}/sql`, { data: { top: 'select 2' } }, 'application/merge-patch+json');
    await until(async () =>
      (await suite.all.service.call('listSnippets', {})).some(
        ({ activeVersion }) => activeVersion.name === 'from-map' && activeVersion.text === 'select 2',
      ),
    );
  });

  it('read no files or variables of the operator for people who may make objects', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('DataSource', 'env', { uri, passwordFrom: { env: 'PATH' } });
    await space.create('Snippet', 'file', { textFrom: { file: '/etc/passwd' } });
    assert.match(await space.reason('DataSource', 'env', 'Unsupported'), /only secretKeyRef/);
    assert.match(await space.reason('Snippet', 'file', 'Unsupported'), /only configMapKeyRef/);
  });

  it('say that their workspace cannot be used, and go on once it can', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.patch('Workspace', 'workspace', { spec: { credentialsFrom: { secretKeyRef: { name: 'none' } } } });
    await space.reason('Workspace', 'workspace', 'SecretNotFound');
    await space.create('Person', 'patient', person('patient'));
    assert.match(await space.reason('Person', 'patient', 'WorkspaceNotReady'), /Secret none/);
    await space.patch('Workspace', 'workspace', {
      spec: { credentialsFrom: { secretKeyRef: { name: 'rolecall-key' } } },
    });
    await space.reason('Person', 'patient', 'Converged');
  });

  it('remove what no one declares where that is asked for, and nothing while a definition cannot be read', async () => {
    const space = await suite.all.namespace({
      exact: ['roles'],
      rails: { maxRemovalPercent: 100, allowFirstRemoval: true },
    });
    await suite.all.service.call('createRole', { body: { name: 'undeclared' } });
    // What only the operator finds: the API server's schema takes it.
    await space.create('DataSource', 'wrong', { uri: 'mariadb://u@h/d?ssl-mode=prefer' });
    const there = async () => (await suite.all.service.call('listRoles', {})).some(({ name }) => name === 'undeclared');
    await suite.operate({ driftMs: 300 });
    await space.create('Role', 'declared', {});
    await space.reason('Role', 'declared', 'Converged');
    await space.reason('DataSource', 'wrong', 'Invalid');
    assert.equal(await there(), true);
    await space.remove('DataSource', 'wrong');
    await until(async () => !(await there()), 'the removal');
    // The service is that of all these tests: what others make is not declared here.
    await space.patch('Workspace', 'workspace', { spec: { exact: [] } });
  });

  it('say how to let a removal through that a rail holds back, and do it then', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `shelved-${index}`);
    for (const name of names) await suite.all.service.call('createRole', { body: { name } });
    const space = await suite.all.namespace({ exact: ['roles'], rails: { allowFirstRemoval: true } });
    await suite.operate({ driftMs: 300 });
    await space.create('Role', 'kept', {});
    const message = await space.reason('Workspace', 'workspace', 'RemovalsRefused');
    assert.match(message, /spec\.overrides of the Workspace: "removal-share:roles until /);
    const until_ = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const override = `removal-share:roles until ${until_} because the test wants it`;
    await space.patch('Workspace', 'workspace', { spec: { overrides: [override] } });
    const left = async () => (await suite.all.service.call('listRoles', {})).filter(({ name }) => names.includes(name));
    await until(async () => (await left()).length === 0, 'the removal');
    await space.patch('Workspace', 'workspace', { spec: { exact: [] } });
  });

  it('let a deleted object go whose workspace is gone for good, once someone says so', async () => {
    const space = await suite.all.namespace();
    await suite.operate();
    await space.create('Person', 'stuck', person('stuck'));
    await space.reason('Person', 'stuck', 'Converged');
    await space.patch('Workspace', 'workspace', { spec: { url: 'http://127.0.0.1:1' } });
    await space.remove('Person', 'stuck');
    await space.reason('Workspace', 'workspace', 'Unreachable');
    assert.ok((await space.get('Person', 'stuck')) !== undefined);
    await space.patch('Person', 'stuck', { metadata: { annotations: { 'rolecall.dev/released': 'true' } } });
    await space.gone('Person', 'stuck');
  });

  it('come to the same end when the operator is ended in the middle, again and again', async () => {
    const space = await suite.all.namespace();
    const names = Array.from({ length: 30 }, (_none, index) => `crash-${index}`);
    for (const name of names) await space.create('Person', name, person(name));
    for (let round = 0; round < 4; round += 1) {
      const one = await suite.all.operate();
      await new Promise((resolve) => setTimeout(resolve, 60 * round));
      await one.stop();
    }
    await suite.operate();
    for (const name of names) await space.reason('Person', name, 'Converged');
    const people = (await suite.all.service.call('listPeople', {})).filter(({ username }) =>
      username.startsWith('crash-'),
    );
    assert.deepEqual(people.map(({ username }) => username).sort(), [...names].sort());
  });

  it('are looked after by one of two operators, and by the other one when it ends', async () => {
    const space = await suite.all.namespace();
    const lease = { namespace: space.name, name: 'rolecall-operator' };
    const started = suite.all.proxy.requests.length;
    const first = await suite.operate({ lease });
    const leads = ({ log }: typeof first) => log.some((line) => line.includes('leads'));
    await until(() => leads(first));
    const second = await suite.operate({ lease });
    const asked = (what: RegExp, from: number) =>
      suite.all.proxy.requests
        .slice(from)
        .map(({ path }) => path)
        .filter((path) => what.test(path));
    const [lists, watches] = [/rolecall\.dev\/v1alpha1\/[a-z]+$/, /rolecall\.dev.*watch=1/];
    // A collection is watched once it was listed.
    await until(() => asked(watches, started).length === 14, 'both to follow all kinds');
    await space.create('Person', 'before', person('before'));
    await space.reason('Person', 'before', 'Converged');
    await space.remove('Person', 'before');
    await space.gone('Person', 'before');
    // Its end is told by a watch, and a write that got no answer would have the second one list everything after all.
    await space.create('Person', 'last', person('last'));
    await space.reason('Person', 'last', 'Converged');
    await quiet(suite.all, suite.all.workspace, 300);
    const from = suite.all.proxy.requests.length;
    assert.equal(leads(second), false);
    await first.stop();
    await space.create('Person', 'handed-over', person('handed-over'));
    await space.reason('Person', 'handed-over', 'Converged');
    assert.ok(leads(second));
    assert.equal(asked(lists, started).length, 14);
    assert.deepEqual(asked(lists, from), [], 'it followed everything already, and lists nothing again');
  });
});
