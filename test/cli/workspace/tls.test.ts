import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import { type Certificates, makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { runCommand, startCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plantedPassword, team } from '../support/workspace.ts';

describe('rolecall serve with a certificate', requires('openssl'), () => {
  let first: Certificates;
  let second: Certificates;
  before(() => {
    [first, second] = [makeCertificates(), makeCertificates()];
  });

  it('is planned and applied against by who trusts it, and reads a new certificate at SIGHUP', async () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(folder.path, name), text);
      return path.join(folder.path, name);
    };
    const data = ['--data', path.join(folder.path, 'data')];
    const tls = ['--tls-cert', file('tls.crt', first.certificate), '--tls-key', file('tls.key', first.key)];
    const started = startCommand(['serve', ...data, ...tls, '--host', 'localhost', '--port', '0']);
    const url = /The workspace is at (https:\S+),/.exec(await started.prints(/Ctrl-C stops it/))?.[1] ?? '';
    assert.doesNotMatch(started.stdout(), /plain HTTP/);
    const address = url.replace(/127\.0\.0\.1|\[::1\]/, 'localhost');
    const made = await runCommand(['keys', 'create', ...data, '--scope', 'admin', '--format', 'json']);
    const { id, secret } = JSON.parse(made.stdout) as { id: string; secret: string };
    const env = {
      ROLECALL_URL: address,
      ROLECALL_KEY_ID: id,
      ROLECALL_KEY_SECRET: secret,
      TEAM_BILLING_PASSWORD: plantedPassword,
    };
    const ca = file('ca.pem', first.authority);

    const untrusted = await runCommand(['plan', team], { env });
    assert.equal(untrusted.code, 1);
    assert.match(untrusted.stderr, /certificate/i);
    const plan = await runCommand(['plan', team, '--ca-file', ca, '--detailed-exitcode'], { env });
    assert.equal(plan.code, 2, plan.stderr);
    const applied = await runCommand(['apply', team, '--yes'], { env: { ...env, ROLECALL_CA_FILE: ca } });
    assert.equal(applied.code, 0, applied.stderr);
    const settled = await runCommand(['plan', team, '--ca-file', ca, '--detailed-exitcode'], { env });
    assert.equal(settled.code, 0, settled.stderr);

    file('tls.crt', second.certificate);
    file('tls.key', second.key);
    started.child.kill('SIGHUP');
    const client = createClient({ url: address, keyId: id, keySecret: secret, ca: second.authority });
    for (;;) {
      const people = await client.call('listPeople', {}).catch(() => undefined);
      if (people !== undefined) break;
    }
    await client.close();
    started.child.kill('SIGTERM');
    assert.equal((await started.finished).code, 0);
  });

  it('says in one line what is wrong with the certificate, or with the options', async () => {
    using folder = temporaryFolder();
    const cert = path.join(folder.path, 'tls.crt');
    writeFileSync(cert, first.certificate);
    const key = path.join(folder.path, 'tls.key');
    writeFileSync(key, second.key);
    const serve = (...args: string[]) => runCommand(['serve', '--data', path.join(folder.path, 'data'), ...args]);
    const mismatch = await serve('--tls-cert', cert, '--tls-key', key);
    assert.equal(mismatch.code, 1);
    assert.match(mismatch.stderr, /^error: .*tls\.key is not the key of the first certificate in .*tls\.crt\n$/);
    const alone = await serve('--tls-cert', cert);
    assert.match(alone.stderr, /^error: --tls-cert is given without --tls-key: TLS needs both\n$/);
    for (const [option, value] of [
      ['--rate-limit', '-1'],
      ['--max-requests', 'many'],
      ['--trusted-proxies', 'proxy.example'],
      ['--trusted-proxies', '0.0.0.0/0'],
      ['--trusted-proxies', '10.0.0.0/33'],
      ['--shutdown-grace', 'soon'],
      ['--metrics-port', '70000'],
    ] as const) {
      const refused = await serve(option, value);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, new RegExp(option));
    }
  });
});
