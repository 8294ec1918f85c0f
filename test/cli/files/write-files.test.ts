import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { writeFiles } from '../../../cli/files/write-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const files = new Map([
  ['a.yaml', 'new a\n'],
  ['in/b.yaml', 'new b\n'],
]);

describe('writing an export', () => {
  it('makes the folder, and the folders above it', () => {
    using folder = temporaryFolder();
    const target = path.join(folder.path, 'x/y');
    assert.deepEqual(writeFiles(target, files, false), []);
    assert.equal(readFileSync(path.join(target, 'in/b.yaml'), 'utf8'), 'new b\n');
    assert.deepEqual(readdirSync(path.join(folder.path, 'x')), ['y']);
  });

  it('leaves an empty folder the one it is, since someone may be in it', () => {
    using folder = temporaryFolder();
    const before = statSync(folder.path).ino;
    writeFiles(folder.path, files, false);
    assert.equal(statSync(folder.path).ino, before);
    assert.deepEqual(readdirSync(folder.path).sort(), ['a.yaml', 'in']);
  });

  it('leaves everything as it was when one file cannot be put in place', () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'a.yaml'), 'old a\n');
    // A file where the export needs a folder.
    writeFileSync(path.join(folder.path, 'in'), 'no folder\n');
    assert.throws(() => writeFiles(folder.path, files, true));
    assert.equal(readFileSync(path.join(folder.path, 'a.yaml'), 'utf8'), 'old a\n');
    assert.deepEqual(readdirSync(folder.path).sort(), ['a.yaml', 'in']);
  });

  it('names the folder that takes no files', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
    const error = { code: 'ERR_SYSTEM', message: 'cannot write into /proc: there is no such file or folder' };
    assert.throws(() => writeFiles('/proc/access', files, false), error);
  });

  it('refuses a folder with definitions in JSON, not one with the JSON of other programs', () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'package.json'), '{ "name": "x" }');
    writeFiles(folder.path, new Map([['a.yaml', 'a\n']]), false);
    const person = '{ "apiVersion": "rolecall.dev/v1alpha1", "kind": "Person" }';
    for (const name of ['b.json', 'b.YML']) {
      using other = temporaryFolder();
      writeFileSync(path.join(other.path, name), person);
      assert.throws(() => writeFiles(other.path, files, false), { code: 'ERR_FILES_EXIST' });
    }
  });

  it('keeps what is no definition', () => {
    using folder = temporaryFolder();
    mkdirSync(path.join(folder.path, '.git'));
    writeFileSync(path.join(folder.path, 'README.md'), 'read me\n');
    chmodSync(path.join(folder.path, '.git'), 0o700);
    writeFiles(folder.path, files, false);
    assert.deepEqual(readdirSync(folder.path).sort(), ['.git', 'README.md', 'a.yaml', 'in']);
  });
});
