import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Browser, clientId, clientSecret, OpenIdProvider } from '../../../server/support/openid-provider.ts';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const settings = (issuer: string, more = ''): string =>
  `issuers:\n  - id: company\n    name: Company\n    issuer: ${issuer}\n    clientId: ${clientId}\n${more}`;

describe('rolecall serve --oidc', () => {
  it('signs people in with the provider of the file, whose secret is in a file beside it', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const provider = await OpenIdProvider.start();
    const file = path.join(folder.path, 'oidc.yaml');
    writeFileSync(path.join(folder.path, 'company.secret'), `${clientSecret}\n`);
    writeFileSync(file, settings(provider.issuer, '    clientSecretFile: company.secret\n'));
    const started = startCommand(['serve', '--data', dataDir, '--port', '0', '--oidc', file]);
    const url = /The workspace is at (http:\S+),/.exec(await started.prints(/Ctrl-C stops it/))?.[1] ?? '';
    const made = await runCommand(['keys', 'create', '--data', dataDir, '--scope', 'write', '--format', 'json']);
    const { id, secret } = JSON.parse(made.stdout) as { id: string; secret: string };
    const created = await fetch(`${url}/api/v2/person`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ name: 'Ada', username: 'ada', email: 'ada@example.com' }),
    });
    assert.equal(created.status, 200);
    provider.accounts.set(provider.subject, { email: 'ada@example.com', email_verified: true });
    const begin = `${url}/person/v1/sign-in/oidc/company`;
    await provider.register(`${begin}/callback`);
    const browser = new Browser();
    assert.equal(await browser.follow(begin, (next) => new URL(next).pathname === '/'), `${url}/`);
    const me = (await (await browser.get(`${url}/person/v1/me`)).json()) as { person: { username: string } };
    assert.equal(me.person.username, 'ada');
    started.child.kill('SIGTERM');
    assert.equal((await started.finished).code, 0);
  });

  const wrong: [string, string, RegExp][] = [
    ['no YAML', 'issuers: [', /--oidc is no YAML\. \S*oidc\.yaml:1: .*docs\/people\.md has examples/],
    [
      'a wrong field',
      settings('http://login.example.com'),
      /oidc\.yaml:4: issuers\.0\.issuer must be an https address.*docs\/people\.md has examples/,
    ],
    [
      'a field that is missing',
      'issuers:\n  - id: company\n',
      /oidc\.yaml:2: issuers\.0\.name is required; .*issuers\.0\.clientId is required\./,
    ],
    [
      'a field that there is not',
      settings('https://login.example.com', '    secret: x\n'),
      /oidc\.yaml:6: issuers\.0\.secret is not known/,
    ],
    [
      'a secret in no file',
      settings('https://login.example.com', '    clientSecretFile: none.secret\n'),
      /oidc\.yaml: the issuer company: clientSecretFile .*none\.secret/,
    ],
    [
      'a secret in no variable',
      settings('https://login.example.com', '    clientSecretEnv: NO_SUCH\n'),
      /oidc\.yaml: the issuer company: the variable NO_SUCH of clientSecretEnv is not set/,
    ],
  ];
  for (const [what, text, message] of wrong) {
    it(`refuses a file with ${what}, and names file, field and remedy`, async () => {
      using folder = temporaryFolder();
      const file = path.join(folder.path, 'oidc.yaml');
      writeFileSync(file, text);
      const data = path.join(folder.path, 'data');
      const { code, stderr } = await runCommand(['serve', '--data', data, '--port', '0', '--oidc', file]);
      assert.equal(code, 1, stderr);
      assert.match(stderr.replaceAll(/\s+/g, ' '), message);
    });
  }

  it('names a file that is not there', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'none.yaml');
    const { code, stderr } = await runCommand(['serve', '--data', folder.path, '--port', '0', '--oidc', file]);
    assert.notEqual(code, 0);
    assert.match(stderr, /none\.yaml/);
  });
});
