import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Plan } from '@rolecall/reconcile';
import { createKey } from '@rolecall/server';
import { assertPrintedPlan } from '../../../support/plan-schema.ts';
import { isWrite } from '../../support/recording-proxy.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantedPassword, startWorkspace, team, useWorkspace } from '../../support/workspace.ts';

describe('rolecall plan', () => {
  const workspace = useWorkspace();

  it('shows what would be made, and writes nothing', async () => {
    workspace.proxy.calls.length = 0;
    const { code, stdout, stderr } = await runCommand(['plan', team], { env: workspace.env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Workspace team \(http:/);
    assert.match(stdout, /\n {2}\+ Person\/ada: create ada \(Ada Lovelace, ada@team\.example\)/);
    assert.match(
      stdout,
      /\nPlan: 5 to create, 0 to change, 3 to grant, 0 to replace, 0 to revoke or remove \(8 calls\)\.\n$/,
    );
    assert.ok(!workspace.proxy.calls.some(isWrite), workspace.proxy.calls.join());
  });

  it('with nothing to do makes one call, with a key of scope read, and reads no password', async () => {
    await using other = await startWorkspace();
    assert.equal((await runCommand(['apply', team, '--yes'], { env: other.env })).code, 0);
    const { id, secret } = await createKey({ dataDir: other.dataDir, environment: {}, scope: 'read' });
    const env = { ...other.env, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
    other.proxy.calls.length = 0;
    const settled = await runCommand(['plan', team, '--detailed-exitcode'], { env });
    assert.equal(settled.code, 0, settled.stdout + settled.stderr);
    assert.deepEqual(other.proxy.calls, ['POST /api/v2/snapshot']);
    const rotated = await runCommand(['plan', team], { env: { ...env, TEAM_BILLING_PASSWORD: 'another' } });
    assert.match(rotated.stdout, /password: another secret -> secret [0-9a-f]{8}/);
    const entries = await other.client.call('listAuditEntries', { query: { limit: '1000' } });
    const actions = entries.flatMap(({ changes }) => changes.map(({ action }) => action));
    assert.ok(!actions.includes('password read') && actions.includes('password compared'));
  });

  it('tells in plain words who gains access', async () => {
    const text = await runCommand(['plan', team], { env: workspace.env });
    assert.match(
      text.stdout,
      /\nAccess:\n {2}ada gains billing through analysts\n {2}grace gains billing until 2099-01-01T00:00Z\n\n/,
    );
    const markdown = await runCommand(['plan', team, '--format', 'markdown', '--comment-limit', '1200'], {
      env: workspace.env,
    });
    assert.match(markdown.stdout, /#### Access\n\n- `ada` gains `billing` through `analysts`\n/);
    assert.match(markdown.stdout, /\d lines left out here/);
    assert.ok(markdown.stdout.length <= 1201);
  });

  it('ends with 2 when changes are pending and that was asked for', async () => {
    const { code } = await runCommand(['plan', team, '--detailed-exitcode'], { env: workspace.env });
    assert.equal(code, 2);
  });

  it('counts what is not declared, lists it where that is asked for, and ends with 3 when that is all there is', async () => {
    await using other = await startWorkspace();
    const { env, client, proxy } = other;
    using folder = temporaryFolder();
    const run = (...args: string[]) => runCommand([...args], { env });
    assert.equal((await run('apply', team, '--yes')).code, 0);
    const settled = await run('plan', team, '--detailed-exitcode', '--undeclared');
    assert.deepEqual([settled.code, settled.stderr], [0, '']);
    assert.match(settled.stdout, /\nNothing is in the workspace that is not declared\.\n\nNo changes\./);
    const body = { name: 'Eve', email: 'eve@elsewhere.example', username: 'eve' };
    const eve = await client.call('createPerson', { body });
    const [analysts] = await client.call('listRoles', {});
    await client.call('createRole', { body: { name: 'by hand' } });
    proxy.calls.length = 0;
    const plain = await run('plan', team, '--detailed-exitcode');
    assert.equal(plain.code, 0);
    assert.match(
      plain.stdout,
      /\nNot declared, and left alone: 1 person, 1 role\. Not counted: undeclared memberships; plan --undeclared lists them\.\n\nNo changes\./,
    );
    assert.doesNotMatch(plain.stdout, /eve/);
    assert.deepEqual(
      proxy.calls.filter((call) => call.includes('by hand')),
      [],
    );
    const listed = await run('plan', team, '--undeclared', '--detailed-exitcode');
    assert.equal(listed.code, 3);
    assert.match(listed.stdout, /\nIn the workspace, and not declared:\n {2}person eve\n {2}role by hand\n/);
    assert.equal((await run('plan', team, '--undeclared')).code, 0);
    const markdown = await run('plan', team, '--undeclared', '--format', 'markdown');
    assert.match(markdown.stdout, /#### In the workspace, and not declared\n\n- person `eve`\n- role `by hand`\n/);
    const json = JSON.parse((await run('plan', team, '--undeclared', '--format', 'json')).stdout) as Plan;
    assertPrintedPlan(json);
    assert.deepEqual(
      [json.undeclared?.people, json.undeclared?.snippets],
      [
        { count: 1, names: ['eve'] },
        { count: 0, names: [] },
      ],
    );
    // Pending changes come first; and what only the list has read outdates no saved plan.
    await client.call('lockPerson', { params: { person: (await client.call('listPeople', {}))[0]!.id } });
    const out = path.join(folder.path, 'plan.json');
    const pending = await run('plan', team, '--undeclared', '--detailed-exitcode', '--out', out);
    assert.equal(pending.code, 2);
    const role = (await client.call('listRoles', {})).find(({ id }) => id !== analysts!.id)!;
    await client.call('addRolePerson', { params: { role: role.id, person: eve.id } });
    const applied = await run('apply', out, '--yes');
    assert.equal(applied.code, 0, applied.stderr);
  });

  it('prints the plan as one JSON document', async () => {
    const { stdout, stderr } = await runCommand(['plan', team, '--format', 'json'], { env: workspace.env });
    const plan = JSON.parse(stdout) as Plan;
    assertPrintedPlan(plan);
    assert.deepEqual(
      plan.access?.map(({ person, dataSource, effect }) => [person, dataSource, effect]),
      [
        ['ada', 'billing', 'gains'],
        ['grace', 'billing', 'gains'],
      ],
    );
    assert.equal(plan.format, 1);
    assert.equal(plan.steps.length, 8);
    assert.deepEqual(Object.keys(plan).slice(0, 4), ['format', 'createdAt', 'workspace', 'steps']);
    assert.equal(stderr, '');
  });

  it('prints no colour into a pipe, unless it is forced to', async () => {
    const plain = await runCommand(['plan', team], { env: workspace.env });
    assert.ok(!plain.stdout.includes('\u001b'));
    const forced = await runCommand(['plan', team], { env: { ...workspace.env, FORCE_COLOR: '1' } });
    assert.ok(forced.stdout.includes('\u001b[32m  +'));
    const json = await runCommand(['plan', team, '--format', 'json'], { env: { ...workspace.env, FORCE_COLOR: '1' } });
    assert.ok(!json.stdout.includes('\u001b'));
  });

  it('shows no password and no key in any format', async () => {
    for (const format of ['text', 'markdown', 'json']) {
      const { code, stdout, stderr } = await runCommand(['plan', team, '--format', format], { env: workspace.env });
      assert.equal(code, 0);
      assert.ok(!(stdout + stderr).includes(plantedPassword));
      assert.ok(!(stdout + stderr).includes(workspace.keySecret));
    }
  });

  it('calls nothing when a definition is invalid', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      path.join(folder.path, 'broken.yaml'),
      'apiVersion: rolecall.dev/v1alpha1\nkind: Person\nmetadata: { name: ada }\nspec: { name: 7 }\n',
    );
    workspace.proxy.calls.length = 0;
    const text = await runCommand(['plan', team, folder.path], { env: workspace.env });
    assert.equal(text.code, 1);
    assert.match(text.stderr, /^error: the definitions are not valid, so no request was sent\n.*broken\.yaml:4:/);
    const json = await runCommand(['plan', folder.path, '--format', 'json'], { env: workspace.env });
    const { error } = JSON.parse(json.stderr) as { error: { code: string; problems: unknown[] } };
    assert.deepEqual([json.code, json.stdout, error.code], [1, '', 'ERR_INVALID_DEFINITIONS']);
    assert.ok(error.problems.length > 0);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('names every secret that is missing before it calls anything', async () => {
    workspace.proxy.calls.length = 0;
    const { code, stderr } = await runCommand(['plan', team], { env: { ...workspace.env, TEAM_BILLING_PASSWORD: '' } });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /access\.yaml:9:10 error: spec\.passwordFrom\.env names the environment variable TEAM_BILLING_PASSWORD, which is not set\./,
    );
    assert.match(stderr, /Set the environment variable TEAM_BILLING_PASSWORD\./);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('says what is edited in one line', async () => {
    const { id } = await workspace.client.call('createPerson', {
      body: { name: 'Ada Byron', email: 'ada@team.example', username: 'ada' },
    });
    const { code, stdout } = await runCommand(['plan', team], { env: workspace.env });
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}~ Person\/ada: name "Ada Lovelace" instead of "Ada Byron"$/m);
    await removePerson(id);
  });

  it('prints the refusals of a plan that may not run, with the token that overrides, and ends with 1', async () => {
    const { id } = await workspace.client.call('createPerson', {
      body: { name: 'Eve', email: 'eve@team.example', username: 'eve' },
    });
    const source = await workspace.client.call('createDataSource', {
      body: { name: 'other', configUri: 'sqlite:///data/other.db' },
    });
    await workspace.client.call('createPermission', {
      params: { dataSource: source.id, person: id },
      body: { duration: 3600 },
    });
    const refused = await runCommand(['plan', team], { env: workspace.env });
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /Refused \(first-removal\): /);
    assert.match(refused.stdout, /Override: --override first-removal:permissions/);
    assert.match(refused.stderr, /^error: a part of the plan is refused \(first-removal\)/);
    const json = await runCommand(['plan', team, '--format', 'json'], { env: workspace.env });
    assert.equal((JSON.parse(json.stdout) as Plan).refusals.length, 1);
    assert.equal((JSON.parse(json.stderr) as { error: { code: string } }).error.code, 'ERR_PLAN_REFUSED');
    const overridden = await runCommand(['plan', team, '--override', 'first-removal:permissions'], {
      env: workspace.env,
    });
    assert.equal(overridden.code, 0, overridden.stderr);
    assert.match(overridden.stdout, /^ {2}- Permission\/eve\/other \(undeclared\)/m);
    await removePerson(id);
    await workspace.client.call('deleteDataSource', { params: { dataSource: source.id } });
  });

  async function removePerson(person: string): Promise<void> {
    await workspace.client.call('lockPerson', { params: { person } });
    await workspace.client.call('deletePerson', { params: { person } });
  }

  it('says in one line that the workspace cannot be reached', async () => {
    const { code, stderr } = await runCommand(['plan', team], {
      env: { ...workspace.env, ROLECALL_URL: 'http://127.0.0.1:1' },
    });
    assert.equal(code, 1);
    const message = 'error: cannot reach http://127.0.0.1:1 (ROLECALL_URL): the connection was refused.';
    assert.equal(stderr, `${message} Check that the service is running, and its address\n`);
    const flag = await runCommand(['plan', team, '--url', 'http://127.0.0.1:1', '-f', 'json'], { env: workspace.env });
    const { error } = JSON.parse(flag.stderr) as { error: { code: string; message: string; call: { method: string } } };
    assert.equal(error.code, 'ERR_ROLECALL_NETWORK');
    assert.match(error.message, /http:\/\/127\.0\.0\.1:1 \(--url\)/);
    assert.equal(error.call.method, 'POST');
  });

  it('says in one line that the key is wrong', async () => {
    const { code, stderr } = await runCommand(['plan', team], {
      env: { ...workspace.env, ROLECALL_KEY_SECRET: 'wrong' },
    });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: the service at \S+ \(ROLECALL_URL\) refused the API key \w+ \(ROLECALL_KEY_ID\): .* its secret \(ROLECALL_KEY_SECRET\) is wrong.*\n$/,
    );
  });
});
