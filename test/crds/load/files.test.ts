import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { hasErrors, loadDefinitions } from '@rolecall/crds';
import { folderOf, head, loadFiles, personJson, personText, streamOf } from './support.ts';

const names = (definitions: readonly { metadata: { name: string } }[]) =>
  definitions.map(({ metadata }) => metadata.name);

describe('the loader', () => {
  it('reads folders in order, .yaml, .yml and .json, and skips node_modules and names with a dot', async () => {
    const { definitions, problems, files } = await loadFiles({
      'b.yml': personText('b'),
      'a/z.yaml': personText('z'),
      'a/.hidden/x.yaml': 'not: [yaml',
      '.gitlab-ci.yml': 'not: [yaml',
      'node_modules/p/x.yaml': 'not: [yaml',
      'a/query.sql': 'select 1',
      'c.json': JSON.stringify(personJson('c')),
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(names(definitions), ['z', 'b', 'c']);
    assert.equal(files.length, 3);
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

  it('passes over JSON that is no object of Kubernetes, and lists it', async () => {
    const { definitions, problems, ignored } = await loadFiles({
      'a.yaml': personText('a'),
      'package.json': '{ "name": "rolecall", "scripts": { "check": "rolecall validate" } }',
      'rolecall.schema.json': '{ "$schema": "x", "title": "rolecall.dev", "properties": { "kind": {} } }',
      'tsconfig.json': '{\n  // comment\n  "compilerOptions": {},\n}',
      'list.json': '[{ "kind": "build" }, 1]',
      'broken.json': '{',
      'map.json': '{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "m" } }',
    });
    assert.deepEqual([problems, names(definitions)], [[], ['a']]);
    assert.deepEqual(
      ignored.map(({ file, kind }) => [basename(file), kind]),
      ['broken', 'list', 'package', 'rolecall.schema', 'tsconfig'].map((name) => [`${name}.json`, '']),
    );
  });

  it('reads the items of a List in JSON, as kubectl does, and reports an attempt at a definition', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [personJson('a'), personJson('b')] };
    const { definitions, problems } = await loadFiles({
      'list.json': JSON.stringify(list),
      'array.json': JSON.stringify([personJson('c')]),
      'bare.json': JSON.stringify({ metadata: { name: 'd' }, spec: {} }),
      'comment.json': '{\n  // who\n  "kind": "Person" }',
      'several.json': `${JSON.stringify(personJson('e'))}\n${JSON.stringify(personJson('f'))}`,
      'twice.json': JSON.stringify(personJson('g')).replace('"spec":{', '"spec":{"email":"x@example.com",'),
    });
    assert.deepEqual(names(definitions), ['a', 'b']);
    assert.deepEqual(
      problems.map(({ file, line, column, code, path }) => [file, `${line}:${column}`, code, path]),
      [
        ['array.json', '1:1', 'document_type', ''],
        ['bare.json', '1:1', 'kind_missing', ''],
        ['comment.json', '2:3', 'yaml_syntax', ''],
        ['several.json', '2:1', 'yaml_syntax', ''],
        ['twice.json', '1:129', 'yaml_duplicate_key', ''],
      ],
    );
    assert.match(problems[0]?.remedy ?? '', /items of a List/);
    assert.match(problems[3]?.message ?? '', /a second object begins/);
  });

  it('warns of each file of a folder that looks like a definition and is not read', async () => {
    const text = personText('x');
    const { problems, definitions } = await loadFiles({
      'a.yaml': personText('a'),
      'people.yaml.bak': text,
      'people.yamll': text,
      '.people.yaml': text,
      'people.jsonnet': "local name = 'x';\n{ apiVersion: 'rolecall.dev/v1alpha1', kind: 'Person' }",
      people: `# a comment\n---\n${text}`,
      'README.md': `# People\n\nAs in\n\n${text}`,
      'apply.sh': `#!/bin/sh\nkubectl apply -f - <<END\n${text}END\n`,
      'query.sql': 'select 1',
      '.gitlab-ci.yml': 'stages: [plan]\n',
    });
    assert.deepEqual(names(definitions), ['a']);
    assert.deepEqual(
      problems.map(({ file, code, severity }) => [file, code, severity]),
      ['.people.yaml', 'people', 'people.jsonnet', 'people.yaml.bak', 'people.yamll'].map((file) => [
        file,
        'passed_over',
        'warning',
      ]),
    );
  });

  it('does not warn of a file that is read by another name, as in a volume of a ConfigMap', async () => {
    using folder = folderOf({ '.people-of-today': personText('a') });
    symlinkSync('.people-of-today', join(folder.path, 'people.yaml'));
    const { definitions, problems } = await loadDefinitions([folder.path]);
    assert.deepEqual([problems, names(definitions)], [[], ['a']]);
  });

  it('says what a link points to and why it leads nowhere, in folders, by name, and in fields', async () => {
    const snippet = `${head('Snippet')}spec: { textFrom: { file: query.sql } }\n`;
    const source = `${head('DataSource')}spec: { uri: 'postgresql://r@localhost/d', passwordFrom: { file: none/password } }\n`;
    using folder = folderOf({ 'a.yaml': snippet, 'b.yaml': source });
    const links = { 'people.yaml': 'gone.yaml', 'query.sql': 'gone.sql', none: 'nowhere', 'x.yaml': 'people.yaml' };
    for (const [name, target] of Object.entries({ ...links, 'round.yaml': 'round.yaml' })) {
      symlinkSync(target, join(folder.path, name));
    }
    const { problems } = await loadDefinitions([folder.path, join(folder.path, 'none/people.yaml')]);
    const messages = problems.map(({ message }) => message.replaceAll(`${folder.path}/`, ''));
    assert.deepEqual(messages, [
      'spec.textFrom.file names query.sql, which is a link to gone.sql, which does not exist',
      'spec.passwordFrom.file names none/password, which cannot be reached: none is a link to nowhere, which does not exist',
      'is a link to nowhere, which does not exist',
      'cannot be reached: none is a link to nowhere, which does not exist',
      'is a link to gone.yaml, which does not exist',
      'is a link to round.yaml, and its links go round in a circle',
      'is a link to people.yaml, and on to gone.yaml, which does not exist',
    ]);
    assert.ok(problems.every(({ remedy }) => !remedy.includes('Did you mean')));
    // The link may have led to a folder of definitions, and may be none of Rolecall's.
    assert.deepEqual(problems.filter(({ severity }) => severity === 'warning').length, 1);
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
