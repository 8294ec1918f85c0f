import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createKey, parseTrust, type Service, startService } from '@rolecall/server';
import { startIssuer, type TestIssuer } from '../../../support/issuer.ts';
import { listenOn } from '../../../support/relay.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rolecall keys exchange', () => {
  const folder = temporaryFolder();
  let issuer: TestIssuer;
  let service: Service;
  before(async () => {
    issuer = await startIssuer('https://workspace.example.com');
    const claims = { repository: 'acme/access' };
    const rule = { name: 'ci', issuer: issuer.url, audience: 'https://workspace.example.com', claims, scope: 'read' };
    service = await startService({ dataDir: folder.path, environment: {}, trust: parseTrust({ rules: [rule] }) });
  });
  after(async () => {
    await service.close();
    await issuer[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const sign = () => issuer.sign({ repository: 'acme/access' });
  const run = (env: Record<string, string>, ...args: string[]) =>
    runCommand(['keys', 'exchange', ...args], {
      env: { ROLECALL_URL: service.url, ROLECALL_ID_TOKEN_AUDIENCE: 'https://workspace.example.com', ...env },
    });
  const works = async (printed: string): Promise<boolean> => {
    const shell = `${printed}\nprintf '%s@api:%s%s' "$ROLECALL_KEY_ID" "$ROLECALL_KEY_SECRET" "\${ROLECALL_ID_TOKEN:-}"`;
    const env = { ...process.env, ROLECALL_ID_TOKEN: 'spent' };
    const { stdout } = await promisify(execFile)('bash', ['-euc', shell], { env });
    const authorization = `Basic ${Buffer.from(stdout).toString('base64')}`;
    return (await fetch(`${service.url}/api/v2/person`, { headers: { authorization } })).status === 200;
  };

  it('prints what a shell evaluates and nothing else, for a token in a variable or in a file', async () => {
    const token = await sign();
    const first = await run({ ROLECALL_ID_TOKEN: token });
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^export ROLECALL_KEY_ID=[A-Za-z0-9]{12} ROLECALL_KEY_SECRET=[A-Za-z0-9_-]{43}\nunset ROLECALL_ID_TOKEN ROLECALL_ID_TOKEN_FILE ROLECALL_ID_TOKEN_AUDIENCE\n$/,
    );
    assert.match(first.stderr, /has the scope read and expires at /);
    assert.ok(await works(first.stdout));
    const again = await run({ ROLECALL_ID_TOKEN: token });
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /exchanged before/);
    assert.ok(!again.stderr.includes(token));
    const file = path.join(folder.path, 'token');
    writeFileSync(file, `${await sign()}\n`);
    assert.ok(await works((await run({ ROLECALL_ID_TOKEN_FILE: file })).stdout));
    writeFileSync(file, await sign());
    assert.ok(await works((await run({ ROLECALL_ID_TOKEN: 'not this one' }, '--id-token-file', file)).stdout));
  });

  it('asks the runner of GitHub for a token with the audience of the rule', async () => {
    const asked: unknown[] = [];
    const runner = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      void sign().then((value) => response.end(JSON.stringify({ count: 1, value })));
    });
    const port = await listenOn(runner);
    try {
      const env = {
        ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
      };
      const { stdout, stderr } = await run(env, '--id-token-audience', 'https://workspace.example.com');
      assert.ok(await works(stdout), stderr);
      assert.deepEqual(asked, [['/token?api=2&audience=https%3A%2F%2Fworkspace.example.com', 'Bearer of-the-runner']]);
    } finally {
      runner.close();
    }
  });

  it('says what is missing, and sends nothing that is no token', async () => {
    const missing = await run({});
    assert.deepEqual([missing.code, missing.stdout], [1, '']);
    assert.match(missing.stderr, /there is no token to exchange: on GitHub, give the job/);
    const wrong = await run({ ROLECALL_ID_TOKEN: 'planted' });
    assert.match(wrong.stderr, /not a JSON Web Token/);
    assert.ok(!wrong.stderr.includes('planted'));
  });

  it('needs a trust file that serve can use, and is told the line where it cannot', async () => {
    const file = path.join(folder.path, 'trust.yaml');
    const data = path.join(folder.path, 'other');
    await createKey({ dataDir: data, environment: {}, scope: 'read' });
    writeFileSync(file, 'rules:\n  - name: ci\n    issuer: http://gitlab.example.com\n');
    const { code, stderr } = await runCommand(['serve', '--data', data, '--port', '0', '--trust', file]);
    assert.equal(code, 1);
    assert.match(stderr, /trust\.yaml:3: rules\.0\.issuer must be an https address/);
  });
});
