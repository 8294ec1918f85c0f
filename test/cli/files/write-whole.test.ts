import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { writeWhole } from '../../../cli/files/write-whole.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a file that is written whole', () => {
  it('takes the place of the one before, for its owner only, and leaves nothing beside it', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'report.csv');
    writeFileSync(file, 'before', { mode: 0o644 });
    writeWhole(file, 'after');
    assert.equal(readFileSync(file, 'utf8'), 'after');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path), ['report.csv']);
  });

  it('leaves a symbolic link one, and replaces what it leads to', () => {
    using folder = temporaryFolder();
    const [file, link] = [path.join(folder.path, 'file'), path.join(folder.path, 'link')];
    writeFileSync(file, 'before');
    symlinkSync(file, link);
    writeWhole(link, 'after');
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(readFileSync(file, 'utf8'), 'after');
  });

  it('leaves all as it was where a folder is in the way', () => {
    using folder = temporaryFolder();
    const there = path.join(folder.path, 'there');
    mkdirSync(there);
    assert.throws(() => {
      writeWhole(there, 'text');
    }, /EISDIR|EEXIST|ENOTEMPTY/);
    assert.deepEqual(readdirSync(folder.path), ['there']);
  });

  it('goes into a pipe, which stays one', { skip: process.platform === 'win32' }, async () => {
    using folder = temporaryFolder();
    const pipe = path.join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      writeWhole(pipe, 'text');
      assert.ok(lstatSync(pipe).isFIFO());
      assert.equal(await text(reader.stdout), 'text');
    } finally {
      reader.kill();
    }
  });
});
