import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import type { OperatorIdentity } from '@rolecall/operator';
import { createKey, parseTrust, type Service, startService } from '@rolecall/server';
import { Identities } from '../../../operator/workspace/identities.ts';
import { onThisMachine } from '../../support/guard.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

const audience = 'https://workspace.example.com';
const subject = 'system:serviceaccount:rolecall-system:rolecall-operator';

/** Something of a tenant's that writes down all that it is sent. */
async function startListener(host: string, port: number, answer: RequestListener) {
  const heard: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = `${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`;
    request.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    request.once('end', () => {
      heard.push(text);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it has an address');
  return {
    heard,
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const refuses: RequestListener = (_request, response) => response.writeHead(404).end();

describe("a Workspace without a Secret, which comes as the operator's own service account", () => {
  const suite = useInstallation();
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-identity-'));
  const tokenFile = path.join(folder, 'token');
  let issuer: TestIssuer;
  let service: Service;
  let port: string;
  let token: string;
  before(async () => {
    issuer = await startIssuer(audience);
    const rule = { name: 'operator', issuer: issuer.url, audience, claims: { sub: subject }, scope: 'admin' };
    const trust = parseTrust({ rules: [rule] });
    service = await startService({ dataDir: folder, environment: {}, logger: false, trust, ...onThisMachine });
    ({ port } = new URL(service.url));
  });
  after(async () => {
    await service.close();
    await issuer[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Writes a new token, as the kubelet does. */
  const renew = async (claims: object = {}) => {
    token = await issuer.sign({ sub: subject, ...claims });
    writeFileSync(tokenFile, token);
  };
  const identity = (...namespaces: string[]): OperatorIdentity => ({
    url: service.url,
    audience,
    tokenFile,
    namespaces,
  });
  /** A namespace whose Workspaces have no Secret: those that are created with `at`. */
  const space = async () => {
    const made = await suite.all.namespace();
    await made.remove('Workspace', 'workspace');
    const at = (url: string, name = 'own') => made.create('Workspace', name, { url });
    return { ...made, at };
  };
  const usernames = async () => {
    const { id, secret } = await createKey({ dataDir: folder, environment: {}, scope: 'read' });
    const client = createClient({ url: service.url, keyId: id, keySecret: secret });
    const people = await client.call('listPeople', {});
    await client.close();
    return people.map(({ username }) => username).sort();
  };

  it('is reconciled, with other namespaces that may use the same identity, for one token', async () => {
    await renew();
    const [one, two] = [await space(), await space()];
    await suite.operate({ identities: [identity(one.name, two.name)] });
    // Another spelling of the same service.
    await one.at(`${service.url}/`);
    await one.create('Person', 'ada', { ...person('ada'), workspaceRef: 'own' });
    await two.at(service.url);
    await two.create('Person', 'grace', { ...person('grace'), workspaceRef: 'own' });
    await one.reason('Person', 'ada', 'Converged');
    await two.reason('Person', 'grace', 'Converged');
    assert.deepEqual(await usernames(), ['ada', 'grace']);
  });

  it('goes on with the next token once its key is about to end', async (t) => {
    await renew();
    const one = await space();
    const operating = await suite.operate({ identities: [identity(one.name)], driftMs: 200 });
    await one.at(service.url);
    await one.reason('Workspace', 'own', 'Converged');
    const now = Date.now();
    t.mock.method(Date, 'now', () => now + 15 * 60_000);
    const message = await one.reason('Workspace', 'own', 'TokenUnavailable');
    assert.ok(!message.includes(tokenFile), 'where the token is, is not for tenants');
    assert.match(operating.warnings.join('\n'), /the token for http:\S+ cannot be used: .* not been replaced yet/);
    await renew();
    await one.reason('Workspace', 'own', 'Converged');
  });

  it('says so where the service refuses the token, and where the file has none for it', async () => {
    const one = await space();
    await renew({ sub: 'system:serviceaccount:other:other' });
    const operating = await suite.operate({ identities: [identity(one.name)], driftMs: 200 });
    await one.at(service.url);
    assert.match(await one.reason('Workspace', 'own', 'Refused'), /token_refused.*fit no rule/);
    // Such as the token for the API server, which every pod has.
    await renew({ aud: 'https://kubernetes.default.svc' });
    await one.reason('Workspace', 'own', 'TokenUnavailable');
    assert.match(operating.warnings.join('\n'), /audience https:\/\/kubernetes\.default\.svc, .*was not sent/);
    await renew();
    await one.reason('Workspace', 'own', 'Converged');
  });

  it('is refused in a namespace that is not named, though its editor knows the address', async () => {
    await renew();
    const [allowed, other] = [await space(), await space()];
    await suite.operate({ identities: [identity(allowed.name)] });
    await other.at(service.url);
    const message = await other.reason('Workspace', 'own', 'IdentityDenied');
    assert.match(message, /spec\.credentialsFrom is missing, and the operator may not use its own identity for/);
    assert.ok(!message.includes(allowed.name));
    await other.create('Person', 'mallory', { ...person('mallory'), workspaceRef: 'own' });
    await other.reason('Person', 'mallory', 'WorkspaceNotReady');
    assert.ok(!(await usernames()).includes('mallory'));
  });

  it('is refused everywhere where no identity is named', async () => {
    const one = await space();
    await suite.operate();
    await one.at(service.url);
    await one.reason('Workspace', 'own', 'Incomplete');
  });

  it('has no token sent to any other address, however its editor writes it', async () => {
    await renew();
    const one = await space();
    await using otherPort = await startListener('127.0.0.1', 0, refuses);
    await using otherHost = await startListener('127.0.0.2', Number(port), refuses);
    const addresses = [
      ['other-port', `http://127.0.0.1:${otherPort.port}`],
      ['other-host', `http://127.0.0.2:${port}`],
      ['userinfo', `http://127.0.0.1:${port}@127.0.0.2:${port}`],
      ['backslash', `http://127.0.0.2:${port}\\@127.0.0.1:${port}`],
      ['path', `http://127.0.0.1:${port}/elsewhere`],
      ['other-name', `http://localhost:${port}`],
      ['scheme', `https://127.0.0.1:${port}`],
      ['query', `http://127.0.0.1:${port}?to=http://127.0.0.2`],
    ] as const;
    await suite.operate({ identities: [identity(one.name)] });
    for (const [name, url] of addresses) await one.at(url, name);
    // Once this one is reconciled, the others were.
    await one.at(service.url);
    await one.reason('Workspace', 'own', 'Converged');
    for (const [name, url] of addresses) {
      const reason = ['userinfo', 'query'].includes(name) ? 'Invalid' : 'IdentityDenied';
      await one.reason('Workspace', name, reason).catch((error: unknown) => {
        throw new Error(url, { cause: error });
      });
    }
    assert.deepEqual([otherPort.heard, otherHost.heard], [[], []]);
  });

  it('has no token follow a redirect of the service that it is for', async () => {
    await renew();
    const one = await space();
    await using thief = await startListener('127.0.0.1', 0, refuses);
    await using listed = await startListener('127.0.0.1', 0, (request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${thief.port}${request.url ?? ''}` }).end();
    });
    const url = `http://127.0.0.1:${listed.port}`;
    await suite.operate({ identities: [{ ...identity(one.name), url }] });
    await one.at(url);
    await one.reason('Workspace', 'own', 'Unreachable');
    assert.ok(listed.heard.some((text) => text.includes(token)));
    assert.deepEqual(thief.heard, []);
  });
});

describe('the identities of an operator', () => {
  const identities = (more: Partial<OperatorIdentity>) =>
    new Identities(
      [{ url: 'https://workspace.example.com/team', tokenFile: '/token', namespaces: ['team-a'], ...more }],
      {},
    );

  it('are those of one service, in whichever of its spellings, and of no other', () => {
    const found = identities({});
    const url = (text: string) => found.find('team-a', text)?.url;
    for (const same of [
      'https://workspace.example.com/team',
      'https://WORKSPACE.Example.com:443/team/',
      'https://workspace.example.com/other/../team',
    ])
      assert.equal(url(same), 'https://workspace.example.com/team', same);
    for (const other of [
      'http://workspace.example.com/team',
      'https://workspace.example.com.:443/team',
      'https://workspace.example.com./team',
      'https://workspace.example.com:8443/team',
      'https://workspace.example.com/Team',
      'https://workspace.example.com/team/x',
      'https://workspace.example.com/team/%2e%2e/x',
      'https://workspace.example.com//team',
      'https://workspace.example.com',
      'https://workspace.example.com.evil.example/team',
      'https://evil.example/https://workspace.example.com/team',
      'https://evil.example\\workspace.example.com/team',
      'https://workspacе.example.com/team', // with a Cyrillic letter
    ])
      assert.equal(url(other), undefined, other);
    assert.throws(() => url('https://workspace.example.com@evil.example/team'), { name: 'OptionsError' });
    assert.equal(found.find('team-b', 'https://workspace.example.com/team'), undefined);
    assert.equal(found.find('', 'team-a https://workspace.example.com/team'.slice(7)), undefined);
  });

  it('are refused where a token could be read on the way, or no one is named', () => {
    const wrong: readonly [Partial<OperatorIdentity>, RegExp][] = [
      [{ url: 'http://workspace.example.com' }, /is plain HTTP to another machine/],
      [{ url: 'https://a@workspace.example.com' }, /contains credentials/],
      [{ namespaces: [] }, /namespace is missing/],
      [{ namespaces: ['*'] }, /namespace \* must be the name of a namespace/],
      [{ namespaces: ['team-a', 'team-a'] }, /team-a has two identities/],
      [{ tokenFile: 'token' }, /token-file token must be an absolute path/],
    ];
    for (const [more, message] of wrong) assert.throws(() => identities(more), { name: 'OptionsError', message });
  });
});
