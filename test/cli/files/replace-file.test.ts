import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { replaceFile } from '../../../cli/files/replace-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('replacing a file', () => {
  it('leaves what someone else has written meanwhile, and nothing of its own beside it', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'a.yaml');
    writeFileSync(file, 'theirs');
    assert.throws(() => {
      replaceFile(file, Buffer.from('read'), Buffer.from('ours'));
    }, /changed while the command ran/);
    assert.deepEqual([readdirSync(folder.path), readFileSync(file, 'utf8')], [['a.yaml'], 'theirs']);
  });
});
