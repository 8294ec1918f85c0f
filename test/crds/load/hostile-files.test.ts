import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadDefinitions } from '@rolecall/crds';
import { folderOf, personText } from './support.ts';

const onUnix = { skip: process.platform === 'win32' };

describe('files that are none', onUnix, () => {
  it('are refused inside a folder, where no one named them: a pipe, a device, a socket', async () => {
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

  it('do not hang where they are named: a pipe that no one writes into, a device without an end', async () => {
    using folder = folderOf({});
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { problems } = await loadDefinitions([pipe, '/dev/zero'], { pipeWaitMs: 50 });
    assert.deepEqual(problems.map(({ code, file }) => [code, file]).toSorted(), [
      ['file_too_large', '/dev/zero'],
      ['file_unreadable', pipe],
    ]);
    const unread = problems.find(({ file }) => file === pipe);
    assert.match(unread?.message ?? '', /no one has opened for writing for 0\.05 seconds/);
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
    using folder = folderOf({ 'a.yaml': `#${' '.repeat(6_000_000)}\n${personText('ada')}` });
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
