import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../../support/workspace.ts';

/** A Workspace alone, which is all that it takes to end what others granted. */
const definition = (name: string, rails = '') => `apiVersion: rolecall.dev/v1alpha1
kind: Workspace
metadata:
  name: ${name}
spec:
  exact: [permissions]
${rails}`;

describe('rolecall apply, for the first time in a workspace that is in use', () => {
  let workspace: TestWorkspace;
  let folder: ReturnType<typeof temporaryFolder>;
  const apply = (...more: string[]) => runCommand(['apply', folder.path, '--yes', ...more], workspace);
  const declare = (name: string, rails?: string): void => {
    writeFileSync(path.join(folder.path, 'workspace.yaml'), definition(name, rails));
  };
  const grants = async () => (await workspace.client.call('listPermissions', {})).length;
  async function grantByHand(count: number): Promise<void> {
    const { client } = workspace;
    const [person] = await client.call('listPeople', {});
    const [source] = await client.call('listDataSources', {});
    assert.ok(person && source);
    const params = { person: person.id, dataSource: source.id };
    for (let duration = 1; duration <= count; duration += 1) {
      await client.call('createPermission', { params, body: { duration: duration * 3600 } });
    }
  }

  beforeEach(async () => {
    workspace = await startWorkspace();
    folder = temporaryFolder();
    const { client } = workspace;
    await client.call('createPerson', { body: { username: 'joan', name: 'Joan', email: 'joan@example.com' } });
    const body = { name: 'Ledger', alias: 'ledger', configUri: 'sqlite:///srv/ledger.db?mode=ro' };
    await client.call('createDataSource', { body });
    await grantByHand(5);
    declare('main');
  });
  afterEach(async () => {
    folder[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });

  it('ends no grant of others until that is named, and none without a word', async () => {
    const refused = await apply();
    assert.equal(refused.code, 1);
    assert.match(
      refused.stdout,
      /Refused \(first-removal\): rolecall\/main would for the first time remove from permissions/,
    );
    assert.match(refused.stdout, /Override: --override first-removal:permissions/);
    assert.equal(await grants(), 5);
    const named = await apply('--override', 'first-removal:permissions');
    assert.equal(named.code, 0, named.stdout + named.stderr);
    assert.match(named.stdout, /5 to revoke or remove \(5 calls\)\. It ends 5 permissions\./);
    assert.equal(await grants(), 0);
    await grantByHand(1);
    assert.equal((await apply()).code, 0, 'by now a grant by hand is drift');
    declare('other');
    await grantByHand(1);
    assert.equal((await apply()).code, 1, 'another manager is asked by itself');
  });

  it('does so where it stands in Git', async () => {
    declare('main', '  rails:\n    allowFirstRemoval: true\n');
    assert.equal((await apply()).code, 0);
    assert.equal(await grants(), 0);
  });

  for (const [what, headers, body] of [
    [
      'a problem',
      { 'content-type': 'application/problem+json' },
      '{"type":"about:blank","title":"Not Found","status":404}',
    ],
    ['a page', { 'content-type': 'text/html' }, '<h1>Not found</h1>'],
  ] as const) {
    it(`ends none either where the service does not tell who made what, and answers with ${what}`, async () => {
      workspace.proxy.intercept = (call) =>
        Promise.resolve(call.endsWith('/api/v2/manager') ? { status: 404, headers, body } : undefined);
      const refused = await apply();
      assert.equal(refused.code, 1, refused.stderr);
      assert.match(refused.stdout, /the service does not tell this key who made what/);
      assert.equal(await grants(), 5);
      assert.equal((await apply('--override', 'first-removal:permissions')).code, 0);
      assert.equal(await grants(), 0);
    });
  }
});
