import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadDefinitions } from '@rolecall/crds';
import { folderOf, head, loadFiles, personText } from './support.ts';

const onUnix = { skip: process.platform === 'win32' };

describe('files that are none', onUnix, () => {
  it('are refused inside a folder, where nobody named them: a pipe, a device, a socket', async () => {
    using folder = folderOf({ 'a.yaml': personText('ada') });
    execFileSync('mkfifo', [join(folder.path, 'pipe.yaml')]);
    execFileSync('ln', ['-s', '/dev/zero', join(folder.path, 'zero.yaml')]);
    const server = createServer().listen(join(folder.path, 'socket.yaml'));
    await once(server, 'listening');
    const { definitions, problems } = await loadDefinitions([folder.path]);
    server.close();
    assert.equal(definitions.length, 1);
    assert.deepEqual(
      problems.map(({ code, file, message }) => [code, file.slice(folder.path.length + 1), message]),
      [
        ['file_unreadable', 'pipe.yaml', 'is a pipe, not a file'],
        ['file_unreadable', 'socket.yaml', 'is a socket, not a file'],
        ['file_unreadable', 'zero.yaml', 'is a device, not a file'],
      ],
    );
  });

  it('do not hang where they are named: a pipe that nobody writes into, a device without an end', async () => {
    using folder = folderOf({});
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { problems } = await loadDefinitions([pipe, '/dev/zero'], { pipeWaitMs: 50 });
    assert.deepEqual(
      problems.map(({ code, file }) => [code, file]),
      [
        ['file_too_large', '/dev/zero'],
        ['file_unreadable', pipe],
      ],
    );
    assert.match(problems[1]?.message ?? '', /nobody has opened for writing for 0\.05 seconds/);
  });

  it('wait for a writer that has opened its pipe and takes its time', async () => {
    using folder = folderOf({ text: personText('ada') });
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const script = 'exec 3>"$1"; head -c 40 "$0" >&3; sleep 0.3; tail -c +41 "$0" >&3';
    const writer = spawn('sh', ['-c', script, join(folder.path, 'text'), pipe], { stdio: 'ignore' });
    const ended = once(writer, 'exit');
    const { definitions, problems } = await loadDefinitions([pipe]);
    assert.deepEqual([definitions.length, problems], [1, []]);
    await ended;
  });

  it('are read as folders, when folders are named like files', async () => {
    using folder = folderOf({ 'team.yaml/a.yaml': personText('ada') });
    mkdirSync(join(folder.path, 'empty.yaml'));
    const { definitions, problems } = await loadDefinitions([folder.path]);
    assert.deepEqual([definitions.length, problems], [1, []]);
  });
});

describe('a file that changes while it is read', () => {
  it('is an error, not half of the old and half of the new', { timeout: 60_000 }, async () => {
    using folder = folderOf({ 'a.yaml': `#${' '.repeat(60_000_000)}\n${personText('ada')}` });
    const file = join(folder.path, 'a.yaml');
    const script = `const fs = require('node:fs'); const file = fs.openSync(process.argv[1], 'a');
      for (let first = true; ; first = false) { fs.writeSync(file, '#'); if (first) console.log('writing'); }`;
    const writer = spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    // The machine may be too busy for the writer to write just then.
    for (let found = ''; found !== 'file_changed'; ) {
      const { problems } = await loadDefinitions([file]);
      found = problems[0]?.code ?? '';
      if (found !== '') assert.equal(found, 'file_changed');
    }
    writer.kill('SIGKILL');
    await once(writer, 'close');
  });
});

describe('a text that goes on and on', () => {
  it('of a million documents that are wrong ends at 10,000 errors', async () => {
    const { problems } = await loadFiles({ 'a.yaml': 'a: 1\n---\n'.repeat(1_000_000), 'b.yaml': head('Rol') });
    assert.equal(problems.length, 10_001);
    const last = problems.at(-1);
    assert.deepEqual([last?.code, last?.line], ['problems_many', 19_999]);
    assert.match(last?.remedy ?? '', /Correct these/);
  });

  it('of one document with very many unknown fields, tabs or equal keys ends there too', async () => {
    const fields = Array.from({ length: 30_000 }, (_, index) => `  k${index}: 1\n`).join('');
    const texts = [
      `${head('Role')}spec:\n${fields}`,
      `${head('Role')}spec:\n${'\tname: x\n'.repeat(30_000)}`,
      `${head('Role')}spec:\n${'  name: x\n'.repeat(30_000)}`,
    ];
    for (const text of texts) {
      const { problems } = await loadFiles({ 'a.yaml': text });
      assert.ok(problems.length > 0 && problems.length <= 10_001, String(problems.length));
    }
  });

  it('over many documents is no document that is too large', async () => {
    const other = `apiVersion: example.com/v1\nkind: Other\nspec: [${'1,'.repeat(20_000)}]\n`;
    const texts = { 'a.yaml': `${other}---\n`.repeat(30) + personText('ada'), 'b.yaml': `${other}...\n`.repeat(30) };
    const { definitions, ignored, problems } = await loadFiles(texts);
    assert.deepEqual([definitions.length, ignored.length, problems], [1, 60, []]);
  });

  it('keeps every warning of a large set', async () => {
    const people = Array.from({ length: 12_000 }, (_, index) => personText(`p${index}`).replace(/^apiVersion.*\n/, ''));
    const { definitions, problems } = await loadFiles({ 'a.yaml': people.join('---\n') });
    assert.deepEqual([definitions.length, problems.length], [12_000, 12_000]);
    assert.ok(problems.every(({ code }) => code === 'api_version_missing'));
  });

  it('of lines without an end is read, and its problem has a place', async () => {
    const { problems } = await loadFiles({ 'a.yaml': `${head('Role')}spec: { name: ${'x'.repeat(20_000_000)} }\n` });
    assert.deepEqual(
      problems.map(({ code, line, column }) => [code, line, column]),
      [['field_value', 5, 15]],
    );
  });
});
