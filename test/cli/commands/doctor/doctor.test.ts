import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { createKey } from '@rolecall/server';
import { makeCertificates } from '../../../support/databases/certificates.ts';
import { requires } from '../../../support/databases/parts.ts';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { team, useWorkspace } from '../../support/workspace.ts';

interface Report {
  healthy: boolean;
  checks: { check: string; status: string; message: string; remedy?: string }[];
}

describe('rolecall doctor', () => {
  const workspace = useWorkspace();
  beforeEach(() => {
    workspace.proxy.calls.length = 0;
    workspace.proxy.intercept = () => Promise.resolve(undefined);
  });

  /** Runs it, and gives the status of each check. */
  async function examine(env: Record<string, string>, ...args: string[]) {
    const { code, stdout } = await runCommand(['doctor', ...args, '--format', 'json'], { env });
    const { healthy, checks } = JSON.parse(stdout) as Report;
    assert.equal(code, healthy ? 0 : 1);
    const find = (name: string) => checks.filter(({ check }) => check === name);
    return { healthy, find, statuses: Object.fromEntries(checks.map(({ check, status }) => [check, status])) };
  }

  it('says that all is well, and changes nothing', async () => {
    const { code, stdout } = await runCommand(['doctor', team], { env: workspace.env });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok {4}url +http:\S+ \(from ROLECALL_URL\)$/m);
    assert.match(stdout, /^ok {4}scope +admin: /m);
    assert.match(stdout, /^ok {4}version +the service is (\S+), this command line \1$/m);
    assert.match(stdout, /\n\nAll is well\.\n$/);
    assert.ok(!stdout.includes(workspace.keySecret));
    const entries = workspace.proxy.calls.map((call) => call.replace(/[0-9a-f]{12}/, 'ID'));
    assert.deepEqual(entries, ['GET /api/v2/role', 'GET /api/v2/data-source/ID/detail', 'GET /metrics']);
  });

  for (const scope of ['read', 'write', 'admin'] as const) {
    it(`tells that a key has the scope ${scope}, which is enough to plan data sources`, async () => {
      const { id, secret } = await createKey({ dataDir: workspace.dataDir, environment: {}, scope });
      const env = { ...workspace.env, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
      const alone = await examine(env);
      assert.match(alone.find('scope')[0]?.message ?? '', new RegExp(`^${scope}: `));
      assert.equal(alone.statuses['scope'], 'ok');
      assert.equal((await examine(env, team)).statuses['scope'], 'ok');
      workspace.proxy.intercept = (call) =>
        Promise.resolve(call === 'GET /api/v2/snapshot' ? { status: 404 } : undefined);
      const without = await examine(env, team);
      workspace.proxy.intercept = () => Promise.resolve(undefined);
      assert.equal(without.statuses['scope'], scope === 'admin' ? 'ok' : 'failure', 'a service without snapshots');
    });
  }

  it('names each missing piece and its remedy', async () => {
    const nothing = await examine({});
    assert.deepEqual(nothing.statuses, { runtime: 'ok', url: 'failure', key: 'failure', service: 'skipped' });
    assert.match(nothing.find('url')[0]?.message ?? '', /set ROLECALL_URL, give --url/);
    const noSecret = await examine({ ROLECALL_URL: workspace.url, ROLECALL_KEY_ID: 'abc' });
    assert.match(noSecret.find('key')[0]?.message ?? '', /set ROLECALL_KEY_SECRET/);
    assert.equal(noSecret.statuses['url'], 'ok');
  });

  it('does not repeat the password of an address, and calls nothing well that it has not looked at', async () => {
    const withPassword = await examine({ ...workspace.env, ROLECALL_URL: 'http://ada:s3cr3t@team.invalid' });
    assert.equal(withPassword.statuses['url'], 'failure');
    assert.match(withPassword.find('url')[0]?.message ?? '', /^ROLECALL_URL .* contains credentials/);
    assert.ok(!JSON.stringify(withPassword.find('url')).includes('s3cr3t'));
    const { code, stdout, stderr } = await runCommand(['doctor', '--timeout', 'soon'], { env: workspace.env });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^error: --timeout soon is not a duration/);
  });

  it('fails for a key that the service does not take', async () => {
    const { statuses, find } = await examine({ ...workspace.env, ROLECALL_KEY_SECRET: 'wrong' });
    assert.deepEqual([statuses['key'], statuses['scope']], ['failure', 'skipped']);
    assert.equal(find('key').length, 1);
  });

  it('fails where nothing listens, and where something else answers', async () => {
    const nowhere = await examine({ ...workspace.env, ROLECALL_URL: 'http://127.0.0.1:9' });
    assert.match(
      nowhere.find('service')[0]?.message ?? '',
      /^cannot reach \S+ \(ROLECALL_URL\): the connection was refused\. Check that/,
    );
    workspace.proxy.intercept = () =>
      Promise.resolve({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' });
    const portal = await examine(workspace.env);
    assert.match(portal.find('service')[0]?.message ?? '', /does not lead to a workspace service.*Sign in/);
  });

  it('fails where the URL has a path that the service has not', async () => {
    const { healthy, find, statuses } = await examine({ ...workspace.env, ROLECALL_URL: `${workspace.url}/elsewhere` });
    assert.deepEqual([healthy, statuses['scope']], [false, 'skipped']);
    assert.match(find('service')[0]?.message ?? '', /404 not_found: .*\. Check the URL: /);
  });

  it('warns of a clock that differs, and of another release', async () => {
    workspace.proxy.intercept = (call) =>
      Promise.resolve(call === 'GET /metrics' ? metricsOf('9.1.0', Date.now() - 3_600_000) : undefined);
    const { healthy, find } = await examine(workspace.env);
    assert.equal(healthy, true);
    assert.match(find('clock')[0]?.message ?? '', /^the service is 3(599|600|601) s behind this machine$/);
    assert.equal(find('version')[0]?.status, 'warning');
  });

  it('says that definitions are not valid, and which of several Workspaces to choose', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'two.yaml');
    const of = (name: string) =>
      `apiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: ${name} }\nspec: { url: ${workspace.url} }\n`;
    writeFileSync(file, `${of('one')}---\n${of('two')}---\n${of('three')}  nonsense: 1\n`);
    const { statuses, find } = await examine(workspace.env, file);
    assert.deepEqual([statuses['definitions'], statuses['url']], ['failure', 'failure']);
    assert.match(find('url')[0]?.message ?? '', /choose one with --workspace \(one, two/);
    const chosen = await examine({ ...workspace.env, ROLECALL_URL: '' }, file, '--workspace', 'two');
    assert.equal(chosen.statuses['service'], 'ok');
  });

  it('takes an address without the white space around it, which a file of variables leaves', async () => {
    const { find, statuses } = await examine({ ...workspace.env, ROLECALL_URL: ` ${workspace.url} \n` });
    assert.equal(find('url')[0]?.message, `${workspace.url} (from ROLECALL_URL)`);
    assert.deepEqual([statuses['version'], statuses['clock']], ['ok', 'ok']);
  });

  it('fails where ROLECALL_URL leads elsewhere than the Workspace that --workspace chose', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'team.yaml');
    writeFileSync(
      file,
      'apiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: team }\nspec: { url: https://team.example }\n',
    );
    const { statuses, find } = await examine(workspace.env, file, '--workspace', 'team');
    assert.deepEqual([statuses['url'], statuses['service']], ['failure', 'skipped']);
    assert.match(
      find('url')[0]?.message ?? '',
      /leads to https:\/\/team\.example, and ROLECALL_URL to http:.*Unset ROLECALL_URL/,
    );
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('looks at the certificate', requires('openssl'), async () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(folder.path, name), text);
      return path.join(folder.path, name);
    };
    const made = makeCertificates();
    const tls = ['--tls-cert', file('tls.crt', made.certificate), '--tls-key', file('tls.key', made.key)];
    const started = startCommand(['serve', '--data', path.join(folder.path, 'data'), ...tls, '--port', '0']);
    const printed = await started.prints(/Ctrl-C stops it/);
    const url = (/is at (https:\S+),/.exec(printed)?.[1] ?? '').replace(/127\.0\.0\.1|\[::1\]/, 'localhost');
    const env = { ...workspace.env, ROLECALL_URL: url };
    const untrusted = await examine(env);
    assert.match(untrusted.find('service')[0]?.message ?? '', /certificate/);
    const trusted = await examine(env, '--ca-file', file('ca.pem', made.authority));
    assert.match(trusted.find('certificate')[0]?.message ?? '', /^valid until \S+, \d+ days?$/);
    started.child.kill('SIGTERM');
    await started.finished;
  });
});

const metricsOf = (version: string, date: number) => ({
  status: 200,
  headers: { date: new Date(date).toUTCString() },
  body: `rolecall_build_info{version="${version}",node="26"} 1\n`,
});
