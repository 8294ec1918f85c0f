import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadDefinitions } from '@rolecall/crds';
import { loadDefinitionsSync } from '@rolecall/crds/sync';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';

const acme = path.join(import.meta.dirname, '../../../examples/acme');

const faulty = `kind: Person
metadata: { name: ada }
spec: { name: Ada, emial: ada@example.com, username: ada\u0430 }
---
kind: Person
metadata: { name: grace }
spec: { name: Grace, email: grace@example.com, username: аda }
---
kind: Person
metadata: { name: adam }
spec: { name: Adam, email: adam@example.com, username: ada }
---
kind: Role
metadata: { name: analysts }
spec: { people: [ada, ada] }
`;

describe('loading definitions without waiting', () => {
  it('gives what loading them does', async () => {
    const [waited, sync] = [await loadDefinitions([acme]), loadDefinitionsSync([acme])];
    assert.ok(sync.definitions.length > 10);
    assert.deepEqual(sync.definitions, waited.definitions);
    assert.deepEqual(sync.problems, waited.problems);
    assert.deepEqual(sync.files, waited.files);
  });

  it('finds the problems that loading them does, look-alikes among them', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'faulty.yaml'), faulty);
    writeFileSync(path.join(folder.path, 'latin.yaml'), Buffer.from([0x6e, 0xe4]));
    const { problems } = loadDefinitionsSync([folder.path, path.join(folder.path, 'missing')]);
    assert.deepEqual(problems, (await loadDefinitions([folder.path, path.join(folder.path, 'missing')])).problems);
    const codes = new Set(problems.map(({ code }) => code));
    for (const code of ['field_unknown', 'look_alike', 'item_duplicate', 'file_encoding', 'file_not_found'] as const) {
      assert.ok(codes.has(code), code);
    }
  });

  it('refuses standard input and pipes, for which it would have to wait', () => {
    using folder = temporaryFolder();
    mkdirSync(folder.path, { recursive: true });
    const pipe = path.join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of ['-', pipe]) {
      assert.deepEqual(
        loadDefinitionsSync([file]).problems.map(({ code, file: named }) => [code, named]),
        [['file_unreadable', file]],
      );
    }
  });
});
