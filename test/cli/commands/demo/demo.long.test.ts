import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rolecall demo', () => {
  it('needs no home', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'file');
    writeFileSync(file, '');
    // Not set, empty, and one in which nothing can be made.
    for (const HOME of [undefined, '', path.join(file, 'home')]) {
      const { code, stderr } = await runProcess(['demo'], { env: { HOME, XDG_CACHE_HOME: '' }, cwd: folder.path });
      assert.deepEqual([code, stderr], [0, ''], HOME ?? 'not set');
      assert.deepEqual(readdirSync(folder.path), ['file']);
    }
  });

  it('runs from any folder', async () => {
    using folder = temporaryFolder();
    const elsewhere = path.join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    const { code, stderr } = await runProcess(['demo'], { cwd: elsewhere });
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(elsewhere), []);
  });
});
