import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { runProcess, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rolecall demo', () => {
  it('plays the whole story and leaves nothing behind', async () => {
    using folder = temporaryFolder();
    // Someone's own environment must not get into it.
    const env = {
      TMPDIR: folder.path,
      ROLECALL_URL: 'http://127.0.0.1:1',
      ROLECALL_KEY_ID: 'x',
      ROLECALL_STORE_KEY: 'x',
    };
    const { code, stdout, stderr } = await runProcess(['demo'], { env });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout.match(/^No changes\./gm)?.length, 2);
    assert.match(
      stdout,
      /== \d+\. Plan again: the drift shows[\s\S]* 1 to change, 1 to grant, 0 to replace, 2 to revoke or remove \(4 calls\)\. It ends 1 permission and takes 1 member out of roles\./,
    );
    assert.match(stdout, /^person +data source +through +from +until$/m);
    assert.match(stdout, /rolecall serve --data/);
    assert.ok(!stdout.includes('\u001b'));
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('leaves nothing behind either when it is interrupted', async () => {
    using folder = temporaryFolder();
    const { child, prints, finished } = startCommand(['demo'], { env: { TMPDIR: folder.path } });
    await prints(/It listens at/);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    assert.equal(code, 130);
    assert.match(stderr, /interrupted/);
    assert.deepEqual(readdirSync(folder.path), []);
  });
});
