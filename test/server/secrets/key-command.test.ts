import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, listKeys, StoreKeyError } from '@rolecall/server';
import { parseKeyCommand, runKeyCommand } from '../../../server/secrets/key-command.ts';
import { temporaryFolder } from '../support/stores.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const shell = (script: string): [string, ...string[]] => ['sh', '-c', script];
const run = (script: string, limits = { ms: 20_000, bytes: 1024 }) =>
  runKeyCommand(shell(script), 'the command', limits);

/** Holds an error to say this, and nothing that the command or its line may have held. */
function fails(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StoreKeyError, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  };
}

describe('ROLECALL_STORE_KEY_COMMAND', () => {
  it('gives the key of a store, which is made beside no key file', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'key');
    await writeFile(file, `${key}\n`);
    const dataDir = path.join(folder, 'data');
    await createKey({ dataDir, environment: { ROLECALL_STORE_KEY_COMMAND: `cat ${file}` }, scope: 'read' });
    assert.equal((await listKeys({ dataDir, environment: { ROLECALL_STORE_KEY: key } }))[0]?.intact, true);
    const words = JSON.stringify(shell(`cat '${file}' | tr -d '\\n'`));
    assert.equal((await listKeys({ dataDir, environment: { ROLECALL_STORE_KEY_COMMAND: words } })).length, 1);
    await assert.rejects(readFile(path.join(dataDir, 'store.key')), { code: 'ENOENT' });
  });

  it('is run without a shell: words, or a JSON array', () => {
    assert.deepEqual(parseKeyCommand('  vault kv get  -field=key secret/x '), [
      'vault',
      'kv',
      'get',
      '-field=key',
      'secret/x',
    ]);
    assert.deepEqual(parseKeyCommand('["sops", "--extract", "[\\"key\\"]", "a file"]'), [
      'sops',
      '--extract',
      '["key"]',
      'a file',
    ]);
    const refused = [
      'echo $hunter2',
      'a | hunter2',
      "sh -c 'hunter2'",
      '["hunter2"',
      '[1]',
      '[]',
      '[""]',
      '{}; hunter2',
    ];
    for (const text of refused)
      assert.throws(() => parseKeyCommand(text), fails(/ROLECALL_STORE_KEY_COMMAND .*without a shell/));
  });

  it('that hangs is ended with all that it has started, and named', async () => {
    const file = path.join(await temporaryFolder(), 'alive');
    const script = `(while :; do date +%s%N > ${file}; sleep 0.02; done) & wait`;
    await assert.rejects(run(script, { ms: 500, bytes: 1024 }), fails(/did not end within 0.5 s/));
    await sleep(100);
    const last = await readFile(file, 'utf8').catch(() => '');
    await sleep(200);
    assert.equal(await readFile(file, 'utf8').catch(() => ''), last, 'it still runs');
  });

  it('that prints too much is ended, and what it printed is not shown', async () => {
    await assert.rejects(run('while :; do echo hunter2; done'), fails(/printed more than 1024 bytes/));
  });

  it('that fails, or cannot be run, is an error without what it printed', async () => {
    await assert.rejects(run(`echo hunter2; echo hunter2 >&2; exit 3`), fails(/exit code 3.*run it by hand/));
    await assert.rejects(run('kill -9 $$'), fails(/SIGKILL/));
    await assert.rejects(runKeyCommand(['/nowhere/hunter'], 'the command'), fails(/cannot be run \(ENOENT\)/));
  });

  it('that prints what is no key is an error without what it printed', async () => {
    const dataDir = await temporaryFolder();
    for (const printed of ['', 'hunter2', `${key} hunter2`, `${key}\n${key.toLowerCase()}\n${key}`, 'aHVudGVyMg==']) {
      const environment = { ROLECALL_STORE_KEY_COMMAND: JSON.stringify(['printf', '%s', printed]) };
      await assert.rejects(createKey({ dataDir, environment, scope: 'read' }), fails(/printf\) must hold 32 bytes/));
    }
  });
});
