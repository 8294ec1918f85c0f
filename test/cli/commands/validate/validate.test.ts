import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantedPassword, team } from '../../support/workspace.ts';

const broken = `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata:
  name: ada
spec:
  name: Ada
  emails: ada@team.example
---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata:
  name: backwards
spec:
  person: ada
  dataSource: billing
  startsAt: 2026-02-01T00:00:00Z
  expiresAt: 2026-01-01T00:00:00Z
`;

describe('rolecall validate', () => {
  it('says that valid definitions are valid, and counts them', async () => {
    const { code, stdout, stderr } = await runCommand(['validate', team]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Valid\. 7 definitions without errors \(1 Workspace, 1 DataSource, 2 Person, .*: 0 errors, 0 warnings in 3 files\.\n$/,
    );
    assert.equal(stderr, '');
  });

  it('needs no secret, no workspace and no network', async () => {
    const { code } = await runCommand(['validate', team], { env: { TEAM_BILLING_PASSWORD: undefined } });
    assert.equal(code, 0);
  });

  it('reports every problem with file, line, column and remedy, and ends with 1', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'broken.yaml');
    writeFileSync(file, broken);
    const { code, stdout } = await runCommand(['validate', file]);
    assert.equal(code, 1);
    assert.match(stdout, /broken\.yaml:7:3 error: spec\.emails .*Did you mean email/);
    assert.match(stdout, /broken\.yaml:\d+:\d+ error: spec\.expiresAt /);
    assert.match(stdout, /Not valid\. .*: 2 errors/);
    assert.match(
      stdout,
      /^ {4}7 \|   emails: ada@team\.example\n {6}\|   \^{6}$/m,
      'the line and a mark under the place',
    );
  });

  it('prints one JSON document, also when something is wrong', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'broken.yaml');
    writeFileSync(file, broken);
    const { code, stdout, stderr } = await runCommand(['validate', file, '--format', 'json']);
    const check = JSON.parse(stdout) as { valid: boolean; errors: number; problems: { file: string; line: number }[] };
    assert.equal(code, 1);
    assert.equal(check.valid, false);
    assert.equal(check.errors, check.problems.length);
    assert.deepEqual([check.problems[0]?.file, check.problems[0]?.line], [file, 7]);
    assert.equal(stderr, '');
  });

  it('reads standard input, and shows its lines', async () => {
    const { code, stdout } = await runCommand(['validate', '-'], { stdin: broken });
    assert.equal(code, 1);
    assert.match(stdout, /^ {4}7 \|   emails: ada@team\.example$/m);
    assert.match(stdout, /^-:\d+:\d+ error:/m);
  });

  it('says that a path is not there, and which is nearly called so', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'people.yaml'), '');
    for (const name of ['peeple.yaml', 'people']) {
      const { code, stdout } = await runCommand(['validate', path.join(folder.path, name)]);
      assert.equal(code, 1);
      assert.match(stdout, /error: there is no such file or folder\. Did you mean \S+\/people\.yaml\?/);
    }
    const { stderr } = await runCommand(['plan', path.join(folder.path, 'nothing-like-it')]);
    assert.match(stderr, /^error: the definitions cannot be read, so .*\n.*no such file or folder\. Correct the path/);
  });

  it('warns of what only the command line cannot take', async () => {
    const stdin = `${broken.split('---')[0]?.replace('emails', 'email') ?? ''}---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata:
  name: ada-billing
spec: { person: ada, dataSource: billing, duration: 8h }
`;
    const { code, stdout } = await runCommand(['validate', '-'], { stdin });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /-:13:53 warning: spec\.duration needs a start on the command line: /);
    assert.match(stdout, /1 warning/);
  });

  it('never repeats a password that stands where none may stand', async () => {
    const stdin = `apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata: { name: billing }
spec: { uri: "postgresql://reader:${plantedPassword}@db.team.example/billing" }
`;
    for (const format of ['text', 'json']) {
      const { code, stdout, stderr } = await runCommand(['validate', '-', '--format', format], { stdin });
      assert.equal(code, 1);
      assert.match(stdout, /password_in_uri/);
      assert.doesNotMatch(stdout + stderr, new RegExp(plantedPassword));
    }
  });

  it('lets nothing in a file act on the terminal', async () => {
    const stdin = `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: { name: ada }
spec: { name: Ada, email: ada@team.example, "\\e]0;owned\\a": 1 }
`;
    const { stdout } = await runCommand(['validate', '-'], { stdin });
    assert.match(stdout, /owned/);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f]/);
  });

  it('agrees with plan that a file without definitions is an error', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'empty.yaml');
    writeFileSync(file, '# nothing\n');
    const checked = await runCommand(['validate', file]);
    const planned = await runCommand(['plan', file]);
    assert.deepEqual([checked.code, planned.code], [1, 1]);
    for (const text of [checked.stdout, planned.stderr])
      assert.match(text, /empty\.yaml error: no definitions found\. /);
  });

  it('says of a path that leads nowhere that it does', async () => {
    const { code, stdout } = await runCommand(['validate', 'no/such/folder']);
    assert.equal(code, 1);
    assert.match(stdout, /^no\/such\/folder error: .*no such file or folder/);
  });
});
