import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scriptedServer, silent } from '../../api/client/scripted-server.ts';
import { runCommand } from '../support/run-command.ts';
import { team } from '../support/workspace.ts';

describe('a workspace', () => {
  it('that does not answer is an error, and says that it tries again', async () => {
    await using server = await scriptedServer(silent);
    const { code, stdout, stderr } = await runCommand(['plan', team, '--timeout', '2s'], {
      env: { ROLECALL_URL: server.url, ROLECALL_KEY_ID: 'id', ROLECALL_KEY_SECRET: 's', TEAM_BILLING_PASSWORD: 'x' },
    });
    assert.deepEqual([code, stdout], [1, '']);
    const told = stderr.match(/^warning: the service at .* did not answer within 2 s.*Trying again in \d\.\d s$/gm);
    assert.ok(told !== null, stderr);
    assert.match(stderr, /^error: the service at \S+ \(ROLECALL_URL\) did not answer within 2 s\..*--timeout$/m);
    assert.ok(server.received.every(({ method, url }) => method === 'GET' || url === '/api/v2/snapshot'));
  });
});
