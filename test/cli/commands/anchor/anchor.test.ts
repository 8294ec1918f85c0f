import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { runCommand, runProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, team } from '../../support/workspace.ts';

const incident = `\uFEFF# Incident 4711\r
apiVersion: rolecall.dev/v1alpha1\r
kind: Permission\r
metadata: { name: incident }\r
spec:\r
  person:   ada      # on call\r
  dataSource: billing\r
  duration: 8h   # a shift\r
`;
const anchoredIncident = incident.replace('  duration', '  startsAt: 2096-12-01T09:00:00Z\r\n  duration');
const at = ['--starts-at', '2096-12-01T10:00+01:00'];

function folderWith(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder.path, name), text);
  return { ...folder, file: (name: string) => path.join(folder.path, name) };
}

describe('rolecall anchor', () => {
  it('writes the start into the file and leaves every other byte, the mode and the link as they were', async () => {
    const folder = folderWith({ 'real.yaml': incident });
    using _gone = folder;
    chmodSync(folder.file('real.yaml'), 0o640);
    symlinkSync('real.yaml', folder.file('link.yaml'));
    const { code, stdout, stderr } = await runCommand(['anchor', ...at, folder.file('link.yaml')]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /link\.yaml:2 incident: 2096-12-01T09:00:00Z to 2096-12-01T17:00:00Z\n1 permission in 1 file got a start\.\n$/,
    );
    assert.equal(readFileSync(folder.file('real.yaml'), 'utf8'), anchoredIncident);
    assert.equal(statSync(folder.file('real.yaml')).mode & 0o777, 0o640);
    assert.equal(lstatSync(folder.file('link.yaml')).isSymbolicLink(), true);
    assert.deepEqual(readdirSync(folder.path).sort(), ['link.yaml', 'real.yaml']);
  });

  it('writes into JSON what stays JSON, and leaves the JSON of other programs alone', async () => {
    const spec = { person: 'ada', dataSource: 'billing', duration: '8h' };
    const definition = { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Permission', metadata: { name: 'p' }, spec };
    const items = { apiVersion: 'v1', kind: 'List', items: [definition] };
    const files = {
      'flat.json': JSON.stringify(definition),
      'list.json': JSON.stringify(items, null, '\t'),
      'package.json': '{ "name": "x" }',
      'tsconfig.json': '{ // comment\n}',
    };
    const folder = folderWith(files);
    using _gone = folder;
    const { code, stderr } = await runCommand(['anchor', ...at, folder.path]);
    assert.deepEqual([code, stderr], [0, '']);
    const read = (name: string) => readFileSync(folder.file(name), 'utf8');
    const anchored = { ...definition, spec: { ...spec, startsAt: '2096-12-01T09:00:00Z' } };
    assert.deepEqual(JSON.parse(read('flat.json')), anchored);
    assert.deepEqual(JSON.parse(read('list.json')), { ...items, items: [anchored] });
    assert.deepEqual([read('package.json'), read('tsconfig.json')], [files['package.json'], files['tsconfig.json']]);
  });

  it('has nothing to do a second time, and does not touch the file', async () => {
    const folder = folderWith({ 'a.yaml': incident });
    using _gone = folder;
    await runCommand(['anchor', folder.file('a.yaml')]);
    const { ino, mtimeMs } = statSync(folder.file('a.yaml'));
    const { code, stdout } = await runCommand(['anchor', folder.file('a.yaml')]);
    assert.deepEqual([code, stdout], [0, 'Nothing to anchor: no permission has a duration without a start.\n']);
    assert.deepEqual([statSync(folder.file('a.yaml')).ino, statSync(folder.file('a.yaml')).mtimeMs], [ino, mtimeMs]);
  });

  it('writes no window that is over already', async () => {
    const folder = folderWith({ 'a.yaml': incident });
    using _gone = folder;
    const past = ['--starts-at', '2020-01-01T00:00:00Z'];
    const { code, stderr } = await runCommand(['anchor', ...past, folder.file('a.yaml')]);
    assert.equal(code, 1);
    assert.match(stderr, /nothing was written: \S+a\.yaml:2 incident, until 2020-01-01T08:00:00Z\. Give a later time/);
    assert.equal(readFileSync(folder.file('a.yaml'), 'utf8'), incident);
  });

  it(
    'shows with --check the difference as git applies it, writes nothing and ends with 2',
    requires('git'),
    async () => {
      const folder = folderWith({ 'a.yaml': incident, 'b.yaml': incident.slice(1).trimEnd() });
      using _gone = folder;
      const { code, stdout, stderr } = await runProcess(['anchor', '--check', ...at, 'a.yaml', 'b.yaml'], {
        cwd: folder.path,
      });
      assert.deepEqual([code, stderr], [2, '2 permissions in 2 files would get a start.\n']);
      assert.equal(readFileSync(folder.file('a.yaml'), 'utf8'), incident);
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder.path, input: stdout });
      assert.equal(readFileSync(folder.file('a.yaml'), 'utf8'), anchoredIncident);
      assert.equal((await runCommand(['anchor', '--check', folder.path])).code, 0);
    },
  );

  it('edits standard input onto standard output, and no file beside it', async () => {
    const { code, stdout } = await runCommand(['anchor', ...at, '-'], { stdin: incident });
    assert.deepEqual([code, stdout], [0, anchoredIncident]);
    const mixed = await runCommand(['anchor', '-', 'a.yaml'], { stdin: incident });
    assert.equal(mixed.code, 1);
    assert.match(mixed.stderr, /cannot be combined/);
  });

  it('tells as JSON what it wrote', async () => {
    const folder = folderWith({ 'a.yaml': incident });
    using _gone = folder;
    const { stdout } = await runCommand(['anchor', ...at, '--format', 'json', folder.file('a.yaml')]);
    assert.deepEqual(JSON.parse(stdout), {
      changed: true,
      files: [
        {
          file: folder.file('a.yaml'),
          anchored: [
            { name: 'incident', line: 2, startsAt: '2096-12-01T09:00:00.000Z', expiresAt: '2096-12-01T17:00:00.000Z' },
          ],
        },
      ],
    });
  });

  it('writes no file when one of them has an error', async () => {
    const folder = folderWith({ 'a.yaml': incident, 'b.yaml': `${incident}  duraton: 8h\n` });
    using _gone = folder;
    const { code, stderr } = await runCommand(['anchor', folder.path]);
    assert.equal(code, 1);
    assert.match(stderr, /so nothing was written\n.*b\.yaml:9:3 error: spec\.duraton/);
    assert.equal(readFileSync(folder.file('a.yaml'), 'utf8'), incident);
  });

  it('refuses a pipe without waiting for it, and writes nothing', { skip: process.platform === 'win32' }, async () => {
    const folder = folderWith({ 'a.yaml': incident });
    using _gone = folder;
    const pipe = folder.file('pipe');
    // No one writes into it: opening it waits for ever.
    execFileSync('mkfifo', [pipe]);
    const { code, stderr } = await runCommand(['anchor', folder.file('a.yaml'), pipe]);
    assert.equal(code, 1);
    assert.match(stderr, /pipe is not a regular file, so nothing was written: give its text on standard input/);
    assert.equal(readFileSync(folder.file('a.yaml'), 'utf8'), incident);
  });

  it('refuses a start that is no time, or has a fraction of a second', async () => {
    for (const time of ['tomorrow', '2096-12-01T09:00', '2096-12-01T09:00:00.5Z']) {
      const { code, stderr } = await runCommand(['anchor', '--starts-at', time, '-'], { stdin: incident });
      assert.equal(code, 1);
      assert.match(stderr, /--starts-at \S* ?(is|has) .*(Write|Add|write) /);
    }
  });

  it('makes a permission that apply grants for just that window, and then leaves alone', async () => {
    await using workspace = await startWorkspace();
    const folder = folderWith({ 'a.yaml': incident });
    using _gone = folder;
    const { env, client } = workspace;
    const refused = await runCommand(['plan', team, folder.path], { env });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /rolecall anchor/);
    const anchored = await runCommand(['anchor', '--format', 'json', folder.path]);
    const { files } = JSON.parse(anchored.stdout) as {
      files: { anchored: { startsAt: string; expiresAt: string }[] }[];
    };
    const applied = await runCommand(['apply', '--yes', team, folder.path], { env });
    assert.equal(applied.code, 0, applied.stderr);
    const permissions = await client.call('listPermissions', {});
    const window = files[0]?.anchored[0];
    assert.ok(
      permissions.some(({ startsAt, expiresAt }) => startsAt === window?.startsAt && expiresAt === window.expiresAt),
    );
    assert.equal((await runCommand(['plan', '--detailed-exitcode', team, folder.path], { env })).code, 0);
  });
});
