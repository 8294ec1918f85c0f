import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createKey } from '@rolecall/server';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantedPassword, team, useWorkspace } from '../../support/workspace.ts';

describe('rolecall export', () => {
  const workspace = useWorkspace(team);

  const exportTo = (out: string, ...more: string[]) =>
    runCommand(['export', '--out', out, ...more], { env: workspace.env });

  it('writes a file a role or data source, with what belongs to it, and no id', async () => {
    using folder = temporaryFolder();
    const out = path.join(folder.path, 'access');
    const { code, stdout, stderr } = await exportTo(out);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(filesIn(out), [
      'data-sources/billing.yaml',
      'people/_without-role.yaml',
      'people/analysts.yaml',
      'roles/analysts.yaml',
      'workspace.yaml',
    ]);
    assert.match(
      readFileSync(path.join(out, 'roles/analysts.yaml'), 'utf8'),
      /^apiVersion: .*\nkind: Role\nmetadata:\n {2}name: analysts\nspec:\n {2}people:\n {4}- ada\n {2}dataSources:\n {4}- billing\n---\n.*\nkind: Snippet\n/,
    );
    assert.match(stdout, /^Wrote 5 files to .*: 1 Workspace, 1 DataSource, 2 Person, 1 Role, 1 Permission/);
    const ids = (await workspace.client.call('listPeople', {})).map(({ id }) => id);
    const all = filesIn(out)
      .map((name) => readFileSync(path.join(out, name), 'utf8'))
      .join('');
    assert.ok(ids.every((id) => !all.includes(id)));
  });

  it('names the variable of each password, and never the password', async () => {
    using folder = temporaryFolder();
    const { stdout } = await exportTo(folder.path);
    assert.match(
      stdout,
      /Set the passwords before plan and apply:\n\n {2}variable +data source +connection\n {2}BILLING_PASSWORD +billing +postgresql:/,
    );
    const written = filesIn(folder.path)
      .map((name) => readFileSync(path.join(folder.path, name), 'utf8'))
      .join('');
    assert.match(written, /passwordFrom:\n {4}env: BILLING_PASSWORD\n/);
    assert.ok(!(written + stdout).includes(plantedPassword));
  });

  it('gives definitions that are valid and make an empty plan', async () => {
    using folder = temporaryFolder();
    await exportTo(folder.path);
    assert.equal((await runCommand(['validate', folder.path])).code, 0);
    const env = { ...workspace.env, BILLING_PASSWORD: plantedPassword };
    const plan = await runCommand(['plan', folder.path, '--detailed-exitcode'], { env });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    const wrong = { ...env, BILLING_PASSWORD: 'another' };
    assert.equal((await runCommand(['plan', folder.path, '--detailed-exitcode'], { env: wrong })).code, 2);
  });

  it('declares no password where it is asked to leave them alone', async () => {
    using folder = temporaryFolder();
    const { stdout } = await exportTo(folder.path, '--leave-passwords');
    assert.doesNotMatch(stdout, /PASSWORD/);
    const plan = await runCommand(['plan', folder.path, '--detailed-exitcode'], { env: workspace.env });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
  });

  it('says what a key that may not read connections cannot know', async () => {
    using folder = temporaryFolder();
    const { id, secret } = await createKey({ dataDir: workspace.dataDir, environment: {}, scope: 'read' });
    const env = { ...workspace.env, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
    workspace.proxy.intercept = (call) => Promise.resolve(call.includes('/snapshot') ? { status: 404 } : undefined);
    const { code, stderr } = await runCommand(['export', '--out', folder.path], { env });
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /not declared, because the API key may not read connections: export with a key of scope admin/,
    );
    assert.equal((await runCommand(['validate', folder.path])).code, 0);
    const plan = await runCommand(['plan', folder.path, '--detailed-exitcode'], { env });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    assert.match(plan.stdout, /No changes/);
  });

  it('replaces nothing unless it is forced to, and calls nothing then', async () => {
    using folder = temporaryFolder();
    mkdirSync(path.join(folder.path, 'roles'));
    const file = path.join(folder.path, 'roles/analysts.yaml');
    const other = path.join(folder.path, 'other.yml');
    writeFileSync(file, '# mine\n');
    writeFileSync(other, '# mine too\n');
    workspace.proxy.calls.length = 0;
    const refused = await exportTo(folder.path);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /already contains definitions \(other\.yml, roles\/analysts\.yaml\), so nothing was written/,
    );
    assert.deepEqual(filesIn(folder.path), ['other.yml', 'roles/analysts.yaml']);
    assert.deepEqual(workspace.proxy.calls, []);
    const forced = await exportTo(folder.path, '--force');
    assert.equal(forced.code, 0);
    assert.match(forced.stderr, /remove the outdated ones \(other\.yml\)/);
    assert.match(readFileSync(file, 'utf8'), /kind: Role/);
    assert.equal(readFileSync(other, 'utf8'), '# mine too\n');
  });

  it('writes nothing when the workspace cannot be read to the end', async () => {
    using folder = temporaryFolder();
    const out = path.join(folder.path, 'access');
    workspace.proxy.intercept = (call) =>
      Promise.resolve(
        call.includes('/snapshot') ? { status: 404 } : call.endsWith('/snippet') ? { status: 403 } : undefined,
      );
    const { code } = await exportTo(out);
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    assert.equal(code, 1);
    assert.ok(!existsSync(out));
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('prints one JSON document', async () => {
    using folder = temporaryFolder();
    const { stdout, stderr } = await exportTo(path.join(folder.path, 'x'), '--format', 'json');
    const told = JSON.parse(stdout) as { files: string[]; variables: { name: string }[]; leftOut: unknown[] };
    assert.equal(told.files.length, 5);
    assert.deepEqual(
      told.variables.map(({ name }) => name),
      ['BILLING_PASSWORD'],
    );
    assert.deepEqual([told.leftOut, stderr], [[], '']);
  });

  it('costs one call', async () => {
    using folder = temporaryFolder();
    workspace.proxy.calls.length = 0;
    await exportTo(folder.path);
    assert.equal(workspace.proxy.calls.length, 1);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
