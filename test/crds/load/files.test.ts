import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hasErrors, loadDefinitions } from '@rolecall/crds';
import { folderOf, head, loadFiles, personText, streamOf } from './support.ts';

const names = (definitions: readonly { metadata: { name: string } }[]) =>
  definitions.map(({ metadata }) => metadata.name);

describe('the loader', () => {
  it('reads folders in order, .yaml and .yml, and skips node_modules and names with a dot', async () => {
    const { definitions, problems, files } = await loadFiles({
      'b.yml': personText('b'),
      'a/z.yaml': personText('z'),
      'a/.hidden/x.yaml': 'not: [yaml',
      '.gitlab-ci.yml': 'not: [yaml',
      'node_modules/p/x.yaml': 'not: [yaml',
      'a/query.sql': 'select 1',
      'a/data.json': '{',
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(names(definitions), ['z', 'b']);
    assert.equal(files.length, 2);
  });

  it('reads files that are named whatever their ending, JSON with tabs too, and none twice', async () => {
    const json = JSON.stringify(
      { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Role', metadata: { name: 'r' } },
      null,
      '\t',
    );
    const { definitions, problems } = await loadFiles({ 'r.json': json, 'p.txt': personText('p') }, [
      'r.json',
      'p.txt',
      'r.json',
    ]);
    assert.deepEqual(problems, []);
    assert.deepEqual(names(definitions), ['r', 'p']);
    assert.deepEqual(definitions[1]?.source.document, 0);
  });

  it('ends where links go round, and reads what two links lead to once', async () => {
    using folder = folderOf({ 'team/a.yaml': personText('a') });
    symlinkSync('..', join(folder.path, 'team', 'up'));
    symlinkSync('team', join(folder.path, 'same'));
    const { definitions, problems } = await loadDefinitions([folder.path]);
    assert.deepEqual(problems, []);
    assert.deepEqual(names(definitions), ['a']);
  });

  it('says which path does not exist, holds nothing, or cannot be read', async () => {
    using folder = folderOf({ 'empty/readme.md': '' });
    symlinkSync('loop.yaml', join(folder.path, 'loop.yaml'));
    const paths = ['none', 'empty', 'loop.yaml'].map((name) => join(folder.path, name));
    const { problems } = await loadDefinitions(paths);
    assert.deepEqual(
      problems.map(({ code, file }) => [code, file.slice(folder.path.length + 1)]),
      [
        ['nothing_found', 'empty'],
        ['file_unreadable', 'loop.yaml'],
        ['file_not_found', 'none'],
      ],
    );
  });

  it('reads standard input, whose problems have positions too', async () => {
    const bytes = Buffer.from(`${personText('ä')}---\n${personText('ada')}---\n${personText('ada')}`);
    const { definitions, problems } = await loadDefinitions(['-'], {
      stdin: streamOf(bytes.subarray(0, 60), bytes.subarray(60)),
    });
    assert.deepEqual(
      problems.map(({ file, line, code }) => [file, line, code]),
      [
        ['-', 4, 'name_invalid'],
        ['-', 7, 'field_value'],
        ['-', 20, 'definition_duplicate'],
      ],
    );
    assert.deepEqual(names(definitions), ['ada']);
  });

  it('reads a pipe once, and still knows the positions', { skip: process.platform === 'win32' }, async () => {
    using folder = folderOf({ text: `${personText('ada')}---\n${personText('ada')}` });
    const [text, pipe] = [join(folder.path, 'text'), join(folder.path, 'pipe')];
    execFileSync('mkfifo', [pipe]);
    // Reading a pipe waits for its writer, which has to be another process.
    const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', text, pipe], { stdio: 'ignore' });
    const ended = once(writer, 'exit');
    const { problems } = await loadDefinitions([pipe]);
    assert.deepEqual(
      problems.map(({ line, code }) => [line, code]),
      [[12, 'definition_duplicate']],
    );
    await ended;
  });

  it('gives only definitions without errors', async () => {
    const { definitions, problems } = await loadFiles({
      'a.yaml': [
        personText('good'),
        personText('unknown-field', '  lockd: true\n'),
        personText('key-twice', '  name: Another\n'),
        personText('same-address').replace('same-address@', 'good@'),
        `${head('Snippet', 'no-file')}spec: { textFrom: { file: none.sql } }\n`,
      ].join('---\n'),
    });
    assert.deepEqual(names(definitions), ['good']);
    assert.equal(hasErrors(problems), true);
    assert.equal(problems.length, 4);
  });

  it('takes a byte order mark and the line ends of Windows', async () => {
    const text = personText('ada', '  lockd: true\n').replaceAll('\n', '\r\n');
    const { problems } = await loadFiles({ 'a.yaml': `\uFEFF${text}` });
    assert.deepEqual(
      problems.map(({ line, column, path }) => [line, column, path]),
      [[8, 3, 'spec.lockd']],
    );
  });

  it('passes over empty documents and comments, and counts them', async () => {
    const { definitions, problems } = await loadFiles({
      'a.yaml': `---\n---\n# nothing\n---\n${personText('ada')}...\n`,
      'b.yaml': '',
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(definitions[0]?.source.document, 2);
    assert.deepEqual(definitions[0].source.line, 5);
  });

  it('passes over other API groups and lists them, a Role of RBAC included', async () => {
    const rbac = head('Role', 'pods').replace('rolecall.dev/v1alpha1', 'rbac.authorization.k8s.io/v1');
    const { definitions, ignored, problems } = await loadFiles({
      'a.yaml': `${rbac}---\napiVersion: v1\nkind: Secret\n`,
      'b.yaml': personText('ada'),
    });
    assert.deepEqual([names(definitions), problems], [['ada'], []]);
    assert.deepEqual(
      ignored.map(({ apiVersion, kind, name, line }) => [apiVersion, kind, name, line]),
      [
        ['rbac.authorization.k8s.io/v1', 'Role', 'pods', 1],
        ['v1', 'Secret', undefined, 6],
      ],
    );
  });

  it('says of each path that no definitions were found, where there are none at all', async () => {
    using folder = folderOf({ 'a.yaml': '# nothing\n', 'b.yaml': 'apiVersion: v1\nkind: Secret\n' });
    const paths = [join(folder.path, 'a.yaml'), join(folder.path, 'b.yaml'), join(folder.path, 'a.yaml')];
    const { problems } = await loadDefinitions(paths);
    assert.deepEqual(
      problems.map(({ code, severity, file }) => [code, severity, file]),
      paths.slice(0, 2).map((file) => ['nothing_declared', 'error', file]),
    );
    const broken = await loadFiles({ 'a.yaml': head('Person') });
    assert.ok(broken.problems.every(({ code }) => code === 'field_missing'));
  });

  it('gives issues that are found later their positions, also in what can be read only once', async () => {
    const text = `${personText('ada')}---\n${personText('grace')}`;
    const issue = { severity: 'error', code: 'secret_unavailable', at: 'value', message: 'm', remedy: 'R.' } as const;
    using folder = folderOf({ 'a.yaml': text });
    for (const path of [join(folder.path, 'a.yaml'), '-']) {
      const { definitions, locate } = await loadDefinitions([path], { stdin: streamOf(text) });
      const { source } = definitions[1]!;
      const problems = locate([
        { ...issue, source, path: ['spec', 'email'] },
        { ...issue, source, path: ['spec', 'nowhere'] },
      ]);
      assert.deepEqual(
        problems.map(({ file, line, column, message }) => [file, line, column, message]),
        [
          [path, 15, 10, 'spec.email m'],
          [path, 13, 1, 'spec.nowhere m'],
        ],
      );
    }
  });
});
