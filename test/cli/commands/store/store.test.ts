import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, team } from '../../support/workspace.ts';

describe('rolecall store rekey', () => {
  it('changes the key of a workspace that is served, which a plan does not notice', async () => {
    await using workspace = await startWorkspace();
    const { dataDir, env } = workspace;
    const applied = await runCommand(['apply', team, '--yes'], { env });
    assert.equal(applied.code, 0, applied.stderr);
    const file = path.join(dataDir, 'store.key');
    const old = readFileSync(file, 'utf8').trim();
    const rekeyed = await runCommand(['store', 'rekey', '--data', dataDir]);
    assert.equal(rekeyed.code, 0, rekeyed.stderr);
    const lines = rekeyed.stdout.split('\n');
    assert.match(lines[0] ?? '', /^The key of the store is changed: \d+ connection URIs?, all API keys and the end of/);
    assert.equal(lines[1], `The new key is in ${file}: copy it to where you keep the key.`);
    assert.match(lines[2] ?? '', /^Backups from before need the old key/);
    const now = readFileSync(file, 'utf8').trim();
    assert.notEqual(now, old);
    assert.ok(!rekeyed.stdout.includes(now) && !rekeyed.stdout.includes(old));
    const plan = await runCommand(['plan', team, '--detailed-exitcode'], { env });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    assert.equal((await runCommand(['audit', 'verify', '--data', dataDir])).code, 0);
  });

  it('asks for both keys where the operator keeps the key, and says which is to be taken out', async () => {
    using folder = temporaryFolder();
    const [old, next] = [7, 8].map((fill) => Buffer.alloc(32, fill).toString('base64'));
    const data = path.join(folder.path, 'data');
    const run = (keys: string, ...args: string[]) =>
      runCommand([...args, '--data', data], { env: { ROLECALL_STORE_KEY_COMMAND: `echo ${keys}` } });
    assert.equal((await run(`${old}`, 'keys', 'create', '--scope', 'read')).code, 0);
    const one = await run(`${old}`, 'store', 'rekey');
    assert.equal(one.code, 1);
    assert.match(one.stderr, /^error: the command of ROLECALL_STORE_KEY_COMMAND \(echo\) holds one key, .*the old one/);
    const both = await run(`${old} ${next}`, 'store', 'rekey', '--format', 'json');
    assert.equal(both.code, 0, both.stderr);
    assert.deepEqual(JSON.parse(both.stdout), {
      resealed: { dataSources: 0, unreadable: [] },
      source: 'the command of ROLECALL_STORE_KEY_COMMAND (echo)',
      hasOldKey: true,
    });
    const again = await run(`${old} ${next}`, 'store', 'rekey');
    assert.match(again.stdout, /^Nothing to do: the store has the second key of the command/);
    assert.match(again.stdout, /Now take the old key out of the command/);
    assert.equal((await run(`${next}`, 'keys', 'list')).code, 0);
    const wrong = await run(`${old}`, 'keys', 'list');
    assert.match(
      wrong.stderr,
      /^error: the key is not the one that the store was made with, or that it was changed to/,
    );
  });
});
