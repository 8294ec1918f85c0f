import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type Finished, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plantedPassword, useWorkspace } from '../support/workspace.ts';

function dataSource(name: string, passwordFrom: object, rest: object = {}): string {
  const spec = { uri: 'postgresql://reader@db.team.example/billing?sslmode=verify-full', passwordFrom, ...rest };
  return `---\napiVersion: rolecall.dev/v1alpha1\nkind: DataSource\nmetadata: { name: ${name} }\nspec: ${JSON.stringify(spec)}\n`;
}

const workspaceNamed = (name: string): string =>
  `---\napiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: ${name} }\n`;

describe('passwords of data sources', () => {
  const workspace = useWorkspace();

  async function run(
    command: string[],
    text: string,
    env: Record<string, string> = {},
    file?: string,
  ): Promise<Finished> {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'sources.yaml'), text);
    if (file !== undefined) writeFileSync(path.join(folder.path, 'password'), file);
    const args = [...command, path.join(folder.path, 'sources.yaml')];
    return await runCommand(args, { env: { ...workspace.env, ...env } });
  }

  const passwordOf = async (alias: string): Promise<string | undefined> => {
    const found = (await workspace.client.call('listDataSources', {})).find((source) => source.alias === alias);
    const params = { dataSource: found?.id ?? '' };
    const { configUri } = await workspace.client.call('getDataSourceDetail', { params });
    return decodeURIComponent(new URL(configUri).password);
  };

  it('come from a variable, a file without its last line break, or a stand-in for a Secret', async () => {
    const secret = { secretKeyRef: { name: 'billing-db', key: 'pass.word' } };
    const text = [
      dataSource('from-env', { env: 'SOME_PASSWORD' }),
      dataSource('from-file', { file: 'password' }),
      dataSource('from-secret', secret),
    ].join('');
    const env = { SOME_PASSWORD: 'a b:c/@', ROLECALL_SECRET_BILLING_DB_PASS_WORD: plantedPassword };
    const { code, stderr } = await run(['apply', '--yes'], text, env, ' with blanks \n');
    assert.equal(code, 0, stderr);
    assert.equal(await passwordOf('from-env'), 'a b:c/@');
    assert.equal(await passwordOf('from-file'), ' with blanks ');
    assert.equal(await passwordOf('from-secret'), plantedPassword);
  });

  it('are never the secrets of Rolecall itself, which would be sent to wherever the URI says', async () => {
    workspace.proxy.calls.length = 0;
    const own = ['ROLECALL_DATABASE_URL', 'ROLECALL_KEY_SECRET', 'ROLECALL_PLAN_KEY', 'ROLECALL_STORE_KEY'];
    const text = own.map((name, index) => dataSource(`source-${index}`, { env: name })).join('');
    const env = Object.fromEntries(
      own.filter((name) => name !== 'ROLECALL_KEY_SECRET').map((name) => [name, plantedPassword]),
    );
    const { code, stderr } = await run(['apply', '--yes'], text, env);
    assert.equal(code, 1);
    for (const name of own)
      assert.match(stderr, new RegExp(`passwordFrom\\.env names .* ${name}, which holds a secret of Rolecall itself`));
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('that were pasted with what is no part of them are refused, and not shown', async () => {
    workspace.proxy.calls.length = 0;
    const flawed = {
      BREAK: ['hunter22-Zz9\n', 'ends with a line break'],
      MARK: ['\uFEFFhunter22-Zz9', 'begins with a byte order mark'],
      BLANK: ['  ', 'is only white space'],
    } as const;
    const text = Object.keys(flawed).map((name) => dataSource(name.toLowerCase(), { env: name }));
    const env = Object.fromEntries(Object.entries(flawed).map(([name, [password]]) => [name, password]));
    const { code, stderr } = await run(['plan'], text.join(''), env);
    assert.equal(code, 1);
    for (const [, flaw] of Object.values(flawed))
      assert.match(stderr, new RegExp(`passwordFrom\\.env names a password that ${flaw}\\. Store it without that`));
    assert.ok(!stderr.includes('hunter22'));
    const twice = await run(['plan'], dataSource('file', { file: 'password' }), {}, 'hunter22-Zz9\n\n');
    assert.match(twice.stderr, /passwordFrom\.file names a password that ends with a line break/);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('that are missing are named all at once, with the variable to set', async () => {
    workspace.proxy.calls.length = 0;
    const secret = { secretKeyRef: { name: 'billing-db', key: 'pass.word' } };
    const text =
      dataSource('one', { env: 'NOT_SET' }) + dataSource('two', secret) + dataSource('three', { file: 'password' });
    const { code, stderr } = await run(['plan'], text, {}, '\n');
    assert.equal(code, 1);
    assert.match(stderr, /sources\.yaml:5:\d+ error: spec\.passwordFrom\.env .*Set the environment variable NOT_SET\./);
    assert.match(
      stderr,
      /sources\.yaml:10:\d+ error: spec\.passwordFrom\.secretKeyRef names .*Set the environment variable ROLECALL_SECRET_BILLING_DB_PASS_WORD\./,
    );
    assert.match(stderr, /sources\.yaml:15:\d+ error: spec\.passwordFrom\.file names .*password, which is empty/);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('that are missing are told together with all else that is wrong, each at its field', async () => {
    workspace.proxy.calls.length = 0;
    const permission = `---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: soon }
spec:
  person: ada
  dataSource: one
  duration: 8h
`;
    const text = dataSource('one', { env: 'NOT_SET' }) + dataSource('two', { file: 'nothing-here' }) + permission;
    const { code, stderr } = await run(['plan'], text);
    assert.equal(code, 1);
    const withExcerpts = stderr.trim().split('\n');
    assert.equal(withExcerpts.filter((line) => /^ +\| +\^+$/.test(line)).length, 3, 'each with a mark under its place');
    const [heading, ...problems] = withExcerpts.filter((line) => !/^ +\d* \|/.test(line));
    assert.match(heading ?? '', /the definitions are not valid, so no request was sent/);
    assert.equal(problems.length, 3, stderr);
    assert.match(problems[0] ?? '', /:5:102 error: spec\.passwordFrom\.env names .* NOT_SET.* \[secret_unavailable\]$/);
    assert.match(
      problems[1] ?? '',
      /:10:103 error: spec\.passwordFrom\.file names .*nothing-here, which cannot be read: no such file\. /,
    );
    assert.match(
      problems[2] ?? '',
      /:18:13 error: spec\.duration needs a start on the command line: .*\. Add startsAt, .* \[not_on_command_line\]$/,
    );
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('of another Workspace are not asked for', async () => {
    const text =
      workspaceNamed('team') +
      workspaceNamed('staging') +
      dataSource('both', { env: 'SOME_PASSWORD' }, { workspaceRef: 'team' }) +
      dataSource('both', { env: 'NOT_SET' }, { workspaceRef: 'staging' }).replace('name: both', 'name: both-staging');
    const { code, stderr } = await run(['plan', '--workspace', 'team'], text, { SOME_PASSWORD: 'x' });
    assert.equal(code, 0, stderr);
  });
});
