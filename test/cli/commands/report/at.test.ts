import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '@rolecall/server';
import { runCommand } from '../../support/run-command.ts';
import { startWorkspace, type TestWorkspace } from '../../support/workspace.ts';

/** Makes an organisation of six ways of access, one of which has ended, and returns what takes it apart. */
async function fill({ client }: TestWorkspace): Promise<() => Promise<void>> {
  const person = (username: string) =>
    client.call('createPerson', { body: { username, name: username, email: `${username}@x.example` } });
  const source = (alias: string) =>
    client.call('createDataSource', { body: { alias, name: alias, configUri: `sqlite:///srv/${alias}.db` } });
  const [ada, tom, eve] = [await person('ada'), await person('tom'), await person('eve')];
  const [billing, stock] = [await source('billing'), await source('stock')];
  const role = async (name: string, member: string, reached: string): Promise<string> => {
    const { id } = await client.call('createRole', { body: { name } });
    await client.call('addRolePerson', { params: { role: id, person: member } });
    await client.call('addRoleDataSource', { params: { role: id, dataSource: reached } });
    return id;
  };
  const analysts = await role('analysts', ada.id, billing.id);
  const support = await role('support', tom.id, billing.id);
  await role('keepers', tom.id, stock.id);
  const onCall = await role('on call', ada.id, stock.id);
  const turn = (startsAt: string, expiresAt: string) =>
    client.call('setRolePersonWindows', {
      params: { role: onCall, person: ada.id },
      body: { windows: [{ startsAt, expiresAt }] },
    });
  await turn('2026-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z');
  const ended = await role('ended', eve.id, billing.id);
  await client.call('setRolePersonWindows', {
    params: { role: ended, person: eve.id },
    body: { windows: [{ startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' }] },
  });
  const { id: permission } = await client.call('createPermission', {
    params: { person: eve.id, dataSource: stock.id },
    body: { duration: 86_400 },
  });
  return async () => {
    const late = await person('late');
    await client.call('addRolePerson', { params: { role: analysts, person: late.id } });
    await turn('2090-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z');
    await client.call('removeRolePerson', { params: { role: onCall, person: ada.id } });
    await client.call('removeRolePerson', { params: { role: analysts, person: ada.id } });
    await client.call('lockPerson', { params: { person: tom.id } });
    await client.call('deleteRole', { params: { role: support } });
    await client.call('deletePermission', { params: { permission } });
    await client.call('lockPerson', { params: { person: eve.id } });
    await client.call('deletePerson', { params: { person: eve.id } });
    await client.call('updateDataSource', {
      params: { dataSource: billing.id },
      body: { name: 'bills', alias: 'bills', configUri: 'sqlite:///srv/billing.db' },
    });
    await client.call('deleteDataSource', { params: { dataSource: stock.id } });
    // Again, so that what is there now has another beginning.
    await client.call('addRolePerson', { params: { role: analysts, person: ada.id } });
  };
}

it('rolecall report access --at a past moment shows who reached what then, also who is locked, renamed or gone since', async () => {
  await using workspace = await startWorkspace();
  const { env, dataDir } = workspace;
  const report = async (own: Record<string, string>, ...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['report', 'access', '--format', 'json', ...args], { env: own });
    assert.equal(code, 0, stderr);
    return { rows: (JSON.parse(stdout) as { access: { person: { username: string } }[] }).access, stderr };
  };
  const before = new Date().toISOString();
  await sleep(5);
  const takeApart = await fill(workspace);
  const moment = new Date().toISOString();
  const then = await report(env);
  assert.equal(then.rows.length, 5);
  await sleep(5);
  await takeApart();
  assert.equal((await report(env)).rows.length, 2);

  assert.deepEqual(await report(env, '--at', moment), then);
  assert.deepEqual((await report(env, '--at', moment, '--person', 'eve')).rows.length, 1);
  assert.deepEqual((await report(env, '--at', before, '--all')).rows, []);

  const { id, secret } = await createKey({ dataDir, scope: 'read' });
  const reader = { ...env, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
  const left = await report(reader, '--at', moment);
  assert.match(left.stderr, /"code":"without_trail".*scope admin/);
  assert.deepEqual(left.rows, []);
});
