import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startService } from '@rolecall/server';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, team } from '../../support/workspace.ts';

describe('rolecall backup and restore', () => {
  it('need a folder that is named: a variable that is set to nothing is not the current one', async () => {
    const env = { ROLECALL_DATA: '' };
    for (const args of [
      ['backup', '--out', 'x'],
      ['restore', 'x'],
    ]) {
      const { code, stderr } = await runCommand(args, { env });
      assert.equal(code, 1);
      assert.match(stderr, /^error: the store is missing: give --data DIR, or set ROLECALL_DATA\n/);
    }
  });

  it('bring a workspace back as it was, with an empty plan and a whole audit trail', async () => {
    using folder = temporaryFolder();
    await using workspace = await startWorkspace();
    const applied = await runCommand(['apply', team, '--yes'], { env: workspace.env });
    assert.equal(applied.code, 0, applied.stderr);
    const out = path.join(folder.path, 'today.backup');
    const backup = await runCommand(['backup', '--data', workspace.dataDir, '--out', out]);
    assert.equal(backup.code, 0, backup.stderr);
    assert.match(
      backup.stdout,
      /today\.backup contains the store as of .*: \d+ bytes, checked, SHA-256 [0-9a-f]{64}\./,
    );
    assert.match(
      backup.stdout,
      /The key of the store, .*store\.key, is not in the backup: keep a copy of it elsewhere\./,
    );
    const again = await runCommand(['backup', '--data', workspace.dataDir, '--out', out]);
    assert.match(again.stderr, /^error: .*today\.backup exists, and is not overwritten: choose another name\n$/);

    const data = path.join(folder.path, 'data');
    const without = await runCommand(['restore', out, '--data', data]);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /^error: .*store\.key is missing/);
    const keyFile = path.join(workspace.dataDir, 'store.key');
    const restored = await runCommand(['restore', out, '--data', data, '--key-file', keyFile]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /^Restored to .*: the store as of /);
    assert.match(restored.stdout, /1 API key of that time can be used again/);
    assert.equal((await runCommand(['audit', 'verify', '--data', data])).code, 0);

    const service = await startService({ dataDir: data, environment: {} });
    const env = { ...workspace.env, ROLECALL_URL: service.url };
    const plan = await runCommand(['plan', team, '--detailed-exitcode'], { env });
    await service.close();
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    const occupied = await runCommand(['restore', out, '--data', data, '--key-file', keyFile]);
    assert.match(occupied.stderr, /^error: .* is not empty \(.*\): move what is there away/);
    rmSync(data, { recursive: true });
    const json = await runCommand(['restore', out, '--data', data, '--key-file', keyFile, '--format', 'json']);
    assert.equal((JSON.parse(json.stdout) as { validKeys: number }).validKeys, 1);
  });
});
