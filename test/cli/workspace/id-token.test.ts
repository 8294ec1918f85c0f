import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { parseTrust, type Service, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { listenOn } from '../../support/relay.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plantedPassword, team } from '../support/workspace.ts';

const audience = 'https://workspace.example.com';
const exchange = 'POST /api/v2/token-exchange';

describe('a command without a key', () => {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'token');
  let issuer: TestIssuer;
  let service: Service;
  let proxy: RecordingProxy;
  before(async () => {
    issuer = await startIssuer(audience);
    const rule = { name: 'ci', issuer: issuer.url, audience, claims: { repository: 'acme/access' }, scope: 'admin' };
    const trust = parseTrust({ rules: [rule] });
    service = await startService({ dataDir: folder.path, environment: {}, trust, ...onThisMachine });
    proxy = await startRecordingProxy(service.url);
  });
  afterEach(() => {
    proxy.calls.length = 0;
    proxy.intercept = () => Promise.resolve(undefined);
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await service.close();
    await issuer[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const sign = (repository = 'acme/access') => issuer.sign({ repository });
  const renew = async () => {
    writeFileSync(file, `${await sign()}\n`);
  };
  /** Runs a command with nothing but these variables, and the address and the audience. */
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCommand(args, {
      env: {
        ...{ ROLECALL_URL: proxy.url, ROLECALL_ID_TOKEN_AUDIENCE: audience, TEAM_BILLING_PASSWORD: plantedPassword },
        ...env,
      },
    });
  const exchanges = () => proxy.calls.filter((call) => call === exchange).length;

  it('exchanges the token of its platform, from a file, a variable or GitHub', async () => {
    await renew();
    const planned = await run(['plan', team, '--id-token-file', file]);
    assert.equal(planned.code, 0, planned.stderr);
    assert.equal(exchanges(), 1);
    const reported = await run(['report', 'access'], { ROLECALL_ID_TOKEN: await sign() });
    assert.equal(reported.code, 0, reported.stderr);
    const runner = createServer((request, response) => {
      const asked = new URL(request.url ?? '', 'http://runner').searchParams.get('audience') ?? '';
      void issuer
        .sign({ repository: 'acme/access', aud: asked })
        .then((value) => response.end(JSON.stringify({ value })));
    });
    const github = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${await listenOn(runner)}/token`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
    };
    try {
      const listed = await run(['export', '--out', path.join(folder.path, 'exported')], github);
      assert.equal(listed.code, 0, listed.stderr);
      // A Workspace that says where its key is has priority over what GitHub gives every program, unless a token is asked for.
      const declared = path.join(folder.path, 'workspace.yaml');
      const spec = `{ url: ${proxy.url}, credentialsFrom: { env: { keyId: TEAM_ID, keySecret: TEAM_KEY } } }`;
      writeFileSync(
        declared,
        `apiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: team }\nspec: ${spec}\n`,
      );
      const unasked = await run(['report', 'access', declared], { ...github, ROLECALL_ID_TOKEN_AUDIENCE: '' });
      assert.match(unasked.stderr, /TEAM_ID, which is not set/);
      const asked = ['report', 'access', declared, '--id-token-audience', audience];
      assert.equal((await run(asked, { ...github, ROLECALL_ID_TOKEN_AUDIENCE: '' })).code, 0);
    } finally {
      runner.close();
      runner.closeAllConnections();
    }
  });

  it('reads the file again before its key ends, in the middle of an apply', async (t) => {
    await renew();
    const now = Date.now();
    let isLate = false;
    proxy.intercept = async (call) => {
      if (!isLate && call.startsWith('POST /api/v2/person')) {
        isLate = true;
        await renew();
        t.mock.method(Date, 'now', () => now + 15 * 60_000);
      }
      return undefined;
    };
    const { code, stderr } = await run(['apply', team, '--yes', '--concurrency', '1', '--id-token-file', file]);
    assert.deepEqual([code, isLate, exchanges()], [0, true, 2], stderr);
  });

  it('says what to do where the file has no newer token then', async (t) => {
    await renew();
    const now = Date.now();
    // Its first change is the lease.
    proxy.intercept = (call) => {
      if (call.includes('/lease')) t.mock.method(Date, 'now', () => now + 15 * 60_000);
      return Promise.resolve(undefined);
    };
    const { code, stderr } = await run(['apply', team, '--yes', '--id-token-file', file]);
    assert.equal(code, 1);
    assert.match(stderr, /has not been replaced yet/);
    assert.equal(exchanges(), 1);
  });

  it('is told of a token that the service refuses, with where it is from and without any of it', async () => {
    const token = await sign();
    assert.equal((await run(['report', 'access'], { ROLECALL_ID_TOKEN: token })).code, 0);
    const again = await run(['report', 'access'], { ROLECALL_ID_TOKEN: token });
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      /refused the token \(ROLECALL_ID_TOKEN\): .*exchanged before.*works once.*keys exchange/,
    );
    assert.ok(!again.stderr.includes(token));
    const other = await run(['report', 'access'], { ROLECALL_ID_TOKEN: await sign('evil/access') });
    assert.match(other.stderr, /refused the token \(ROLECALL_ID_TOKEN\): .*fit no rule/);
  });

  it('never sends a token to a service that it is not for', async () => {
    const { code, stderr } = await run(['report', 'access'], {
      ROLECALL_ID_TOKEN: await sign(),
      ROLECALL_ID_TOKEN_AUDIENCE: '',
    });
    assert.deepEqual([code, proxy.calls], [1, []]);
    assert.match(
      stderr,
      /has the audience https:\/\/workspace\.example\.com, and http:\S+ is expected, so it was not sent/,
    );
  });

  it('takes a flag before a variable, and neither a key and a token nor a guess between them', async () => {
    await renew();
    const key = { ROLECALL_KEY_ID: 'k3Jf9sWqL0aZ', ROLECALL_KEY_SECRET: 'of-the-key' };
    const both = async (args: readonly string[], env: Record<string, string>, named: RegExp) => {
      const { code, stderr } = await run(['plan', team, '--format', 'json', ...args], env);
      assert.deepEqual([code, proxy.calls], [1, []], stderr);
      assert.match(stderr, /"code":"ERR_TWO_IDENTITIES"/);
      assert.match(stderr, named);
    };
    const flags = ['--id-token-file', file];
    await both([...flags, '--key-id', 'k3Jf9sWqL0aZ'], {}, /\(--key-id\) .* \(--id-token-file\)/);
    await both(['--id-token-audience', 'x', '--key-secret-file', file], {}, /\(--key-secret-file\) .*audience\)/);
    await both([], { ...key, ROLECALL_ID_TOKEN_FILE: file }, /\(ROLECALL_KEY_ID\) .* \(ROLECALL_ID_TOKEN_FILE\)/);
    await both([], { ROLECALL_KEY_SECRET: 'x', ROLECALL_ID_TOKEN: 'a.b.c' }, /\(ROLECALL_KEY_SECRET\) .*_TOKEN\)/);
    assert.equal((await run(['report', 'access', ...flags], key)).code, 0);
    const byKey = await run(['report', 'access', '--key-id', 'k3Jf9sWqL0aZ'], {
      ...{ ROLECALL_KEY_SECRET: 'of-the-key', ROLECALL_ID_TOKEN_FILE: file },
    });
    assert.match(byKey.stderr, /refused the API key k3Jf9sWqL0aZ \(--key-id\)/);
    const none = await run(['report', 'access', '--id-token-audience', audience]);
    assert.match(none.stderr, /there is no token to exchange: on GitHub/);
  });

  it('has doctor say as whom it comes, until when, and what is wrong with a token', async () => {
    await renew();
    const { code, stdout } = await run(['doctor', '--id-token-file', file]);
    assert.equal(code, 0, stdout);
    assert.match(
      stdout,
      /^ok {4}key +[A-Za-z0-9]{12} until 2\S+Z, exchanged for the token \(--id-token-file\) of repo:acme\/access by http:\S+ until 2\S+Z$/m,
    );
    assert.match(stdout, /^ok {4}scope +admin: /m);
    assert.match(stdout, /^ok {4}version /m);
    const again = await run(['doctor', '--id-token-file', file]);
    assert.match(
      again.stdout,
      /^FAIL {2}key +the service at .* refused the token \(--id-token-file\): .*exchanged before/m,
    );
    const away = await run(['doctor', '--id-token-file', `${file}-away`]);
    assert.match(away.stdout, /^FAIL {2}key +--id-token-file names .*token-away, which cannot be read \(ENOENT\)$/m);
    assert.equal(away.code, 1);
  });
});
