import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { listAudit, listKeys, parseTrust } from '@rolecall/server';
import { exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { startIssuer } from '../../support/issuer.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { type Answer, startTestService } from '../support/service.ts';

const audience = 'https://rolecall.example.com';
let now = Date.now();
const issuer = await startIssuer(audience, () => now);
const attacker = await startIssuer(audience, () => now);
const down = await startIssuer(audience, () => now);
after(async () => {
  for (const one of [issuer, attacker, down]) await one[Symbol.asyncDispose]();
});

const rule = (name: string, more: object) => ({ name, issuer: issuer.url, audience, scope: 'read', ...more });
const trust = parseTrust({
  rules: [
    rule('apply', {
      claims: { repository: 'acme/access', ref: 'refs/heads/main' },
      scope: 'admin',
      dataSources: ['billing'],
      lifetime: '10m',
    }),
    rule('plan', { claims: { repository: ['acme/access', 'acme/other'], ref: 'refs/pull/*', ref_protected: 'true' } }),
    rule('gone', { claims: { repository: 'acme/gone' }, dataSources: ['nowhere'] }),
    { ...rule('down', { claims: { repository: 'acme/access' } }), issuer: down.url },
  ],
});
const service = await startTestService({ trust, clock: () => new Date(now) });
const billing = await makers(service).dataSource({ alias: 'billing' });

const main = { repository: 'acme/access', ref: 'refs/heads/main' };
const exchange = (token: unknown): Promise<Answer> =>
  service.call('POST', '/token-exchange', { key: null, json: { token } });
const refused = async (token: string, detail: RegExp): Promise<void> => {
  const answer = await exchange(token);
  assertProblem(answer, 403, 'token_refused');
  assert.match(answer.text, detail);
  assert.ok(!answer.text.includes(token));
};

describe('the token of a pipeline', () => {
  it('is exchanged for a key with what its rule gives, which the audit trail records with issuer, subject and rule', async () => {
    const answer = await exchange(await issuer.sign(main));
    assert.equal(answer.status, 200, answer.text);
    const key = answer.body as { id: string; secret: string; scope: string; dataSources: string[]; expiresAt: string };
    assert.deepEqual([key.scope, key.dataSources], ['admin', [billing.id]]);
    assert.equal(key.expiresAt, new Date(now + 600_000).toISOString());
    assert.deepEqual((await service.ok<unknown[]>('GET', '/data-source', { key })).length, 1);
    assertProblem(await service.call('GET', '/role', { key }), 403, 'insufficient_scope');
    const trail = JSON.stringify(await service.ok('GET', '/audit?limit=1000'));
    for (const part of [`"issuer":"${issuer.url}"`, '"subject":"repo:acme/access"', '"rule":"apply"', key.id]) {
      assert.ok(trail.includes(part), part);
    }
    assert.ok(!trail.includes(key.secret));
    now += 600_000;
    assertProblem(await service.call('GET', '/data-source', { key }), 401, 'unauthenticated');
  });

  it('is taken once, also with its signature spelled another way, and by requests side by side', async () => {
    const token = await issuer.sign(main);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 403)]);
    await refused(token, /exchanged before/);
    // The last letter of 256 bytes in base64url has four bits that say nothing.
    const other = token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1);
    assert.equal((await exchange(other)).status, 403);
  });

  it('fits a rule by every claim, and by one audience', async () => {
    const pull = { repository: 'acme/other', ref: 'refs/pull/7/merge', ref_protected: true };
    assert.equal(((await exchange(await issuer.sign(pull))).body as { scope: string }).scope, 'read');
    const wrong: JWTPayload[] = [
      { ...main, repository: 'acme/access-evil' },
      { ...main, repository: 'evil/access' },
      { ...main, repository: ['acme/access'] },
      { ...main, ref: 'refs/heads/main2' },
      { ...main, ref: 'refs/pull/' },
      { repository: 'acme/access' },
      { ...pull, ref_protected: false },
      { ...main, aud: 'https://elsewhere.example.com' },
      { ...main, aud: [audience, 'https://elsewhere.example.com'] },
      { ...main, aud: [] },
    ];
    for (const claims of wrong) await refused(await issuer.sign(claims), /fit no rule/);
    await refused(
      await issuer.sign({ repository: 'acme/gone' }),
      /no data source with the alias or identifier nowhere/,
    );
  });

  it('is held to its times', async () => {
    const at = Math.floor(now / 1000);
    await refused(await issuer.sign({ ...main, exp: at - 11 }), /expired/);
    await refused(await issuer.sign({ ...main, nbf: at + 60 }), /not yet/);
    await refused(await issuer.sign({ ...main, iat: at + 60, exp: at + 120 }), /in the future/);
    assert.equal((await exchange(await issuer.sign({ ...main, exp: at - 5, iat: at + 5, nbf: at + 5 }))).status, 200);
    for (const name of ['exp', 'iat', 'sub'] as const) {
      await refused(await issuer.sign({ ...main, [name]: undefined }), /refused/);
    }
  });

  it('must be signed by a key of its issuer, with an algorithm that no one else can use', async () => {
    const own = await generateKeyPair('RS256', { extractable: true });
    await refused(await issuer.sign(main, { pair: own }), /signature is wrong/);
    await refused(await issuer.sign(main, { pair: own, kid: 'another' }), /no such key/);
    await refused(await issuer.sign(main, { alg: 'RS512', pair: await generateKeyPair('RS512') }), /algorithm/);
    await refused(await attacker.sign(main), /issuer is not trusted/);
    await refused(await attacker.sign({ ...main, iss: issuer.url }), /signature is wrong|no such key/);
    const [, payload = ''] = (await issuer.sign(main)).split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(`${part({ alg: 'none' })}.${payload}.AA`, /algorithm/);
    const hmac = `${part({ alg: 'HS256', kid: 'key-0' })}.${payload}`;
    const pem = JSON.stringify(await exportJWK(own.publicKey));
    await refused(`${hmac}.${createHmac('sha256', pem).update(hmac).digest('base64url')}`, /algorithm/);
    const embedded = `${part({ alg: 'RS256', jwk: await exportJWK(own.publicKey) })}.${payload}`;
    await refused(`${embedded}.AAAA`, /signature is wrong/);
    await refused(`${part({ alg: 'RS256' })}.${part({ iss: ['x'] })}.AA`, /not trusted/);
    await refused('e30.e30.AA', /not a JSON Web Token with an issuer/);
    await refused('a.bbb.c', /not a JSON Web Token/);
  });

  it('that is refused is a failed log-in in the audit trail, with the address and the reason, and without the token', async () => {
    const other = await startTestService({ trust, clock: () => new Date(now) });
    const ask = (token: string) => other.call('POST', '/token-exchange', { key: null, json: { token } });
    const wrong = await issuer.sign({ ...main, repository: 'evil/access' });
    for (let count = 0; count < 3; count += 1) assert.equal((await ask(wrong)).status, 403);
    await ask(await attacker.sign(main));
    await ask('a.bbb.c');
    await other.close();
    const entries = await listAudit({ ...other.store, query: { limit: 100 } });
    const failures = entries.filter(({ operation }) => operation === 'authenticate');
    assert.deepEqual(
      failures
        .map(({ actor, changes: [change] }) => [actor.id, change?.after?.['reason'], change?.after?.['count']])
        .sort(),
      [
        ['127.0.0.1', 'refused token: it is genuine, but its audience and claims fit no rule of the trust file', 3],
        ['127.0.0.1', 'refused token: it is not a JSON Web Token with an issuer', 1],
        ['127.0.0.1', 'refused token: its issuer is not trusted here', 1],
      ],
    );
    for (const part of wrong.split('.')) assert.ok(!JSON.stringify(failures).includes(part));
  });

  it('is taken in each of the three algorithms, and soon after the issuer has changed its key', async () => {
    for (const alg of ['ES256', 'EdDSA', 'RS256']) {
      await issuer.rotate(alg);
      const token = await issuer.sign(main);
      const before = issuer.fetched();
      // A key that is not there is looked for at most every 30 seconds, whatever tokens come.
      await refused(await issuer.sign({ ...main, jti: 'x' }, { kid: 'never' }), /no such key/);
      assert.ok(issuer.fetched() - before <= 1);
      skip(31_000);
      assert.equal((await exchange(token)).status, 200, alg);
    }
  });
});

/** Moves the clock by which keys of issuers age. */
const realNow = performance.now.bind(performance);
let skipped = 0;
performance.now = () => realNow() + skipped;
function skip(ms: number): void {
  skipped += ms;
}

describe('an issuer', () => {
  const large = 'x'.repeat(1024 * 1024);
  const failures: Record<string, typeof down.answer> = {
    'answers an error': (response) => response.writeHead(500).end(),
    'answers no JSON': (response) => response.end('<html>'),
    'leads elsewhere': (response, path) => {
      if (!path.endsWith('?moved')) response.writeHead(302, { location: `${path}?moved` }).end();
      else response.end(JSON.stringify({ issuer: down.url, jwks_uri: `${issuer.url}/jwks` }));
    },
    'says that it is another': (response) =>
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` })),
    'names keys that come over plain HTTP': (response) =>
      response.end(JSON.stringify({ issuer: down.url, jwks_uri: 'http://keys.example.com/jwks' })),
    'answers 10 MB': (response) => {
      // What would be taken, if it were not so large.
      response.write(`{"issuer":"${down.url}","jwks_uri":"${issuer.url}/jwks","keys":[],"pad":"`);
      for (let count = 0; count < 10; count += 1) response.write(large);
      response.end('"}');
    },
    'answers never': () => undefined,
  };
  for (const [what, answer] of Object.entries(failures)) {
    it(`that ${what} makes the service say so in bounded time, and is not asked again at once`, async () => {
      skip(11_000);
      down.answer = answer;
      const begun = realNow();
      assertProblem(await exchange(await down.sign({ repository: 'acme/access' })), 503, 'unavailable');
      assert.ok(realNow() - begun < 8000);
      down.answer = undefined;
      assertProblem(await exchange(await down.sign({ repository: 'acme/access' })), 503, 'unavailable');
    });
  }

  it('that is back is asked again', async () => {
    skip(11_000);
    assert.equal((await exchange(await down.sign({ repository: 'acme/access' }))).status, 200);
  });
});

describe('the exchange', () => {
  it('takes no large body, no other form of a token, and only so many from one address', async () => {
    assert.equal((await exchange('x'.repeat(20_000))).status, 413);
    for (const token of ['', 'x', 'a.b', 'a.b.c.d', 7, null])
      assertProblem(await exchange(token), 422, 'invalid_fields');
    const statuses = [];
    for (let count = 0; count < 80; count += 1) statuses.push((await exchange('e30.e30.AA')).status);
    assert.ok(statuses.includes(429));
    assert.equal((await exchange(await issuer.sign(main))).status, 429);
    skip(60_000);
    assert.equal((await exchange(await issuer.sign(main))).status, 200);
  });

  it('is not there where no issuer is trusted', async () => {
    const plain = await startTestService();
    const answer = await plain.call('POST', '/token-exchange', { key: null, json: { token: await issuer.sign(main) } });
    assertProblem(answer, 404, 'not_found');
  });

  it('leaves no key behind, once the key and its token are over', async () => {
    const token = await issuer.sign(main);
    assert.equal((await exchange(token)).status, 200);
    const exchanged = async () => (await listKeys(service.store)).filter(({ name }) => name?.startsWith('apply '));
    assert.ok((await exchanged()).length > 0);
    await service.close();
    now += 3_600_000;
    const later = await startTestService({ ...service.store, clock: () => new Date(now) });
    await later.close();
    assert.deepEqual(await exchanged(), []);
  });
});

describe('a trust file', () => {
  const good = rule('x', { claims: { repository: 'acme/access' } });
  const wrong: Record<string, object> = {
    'no claims': { ...good, claims: {} },
    'a * for anybody': { ...good, claims: { repository: '*' } },
    'a * in the middle': { ...good, claims: { repository: 'acme/*/x' } },
    'a * that other owners fit': { ...good, claims: { repository: 'acme*' } },
    'an issuer over plain HTTP': { ...good, issuer: 'http://gitlab.example.com' },
    'an issuer with a password': { ...good, issuer: 'https://a:b@gitlab.example.com' },
    'an hour and more': { ...good, lifetime: '61m' },
    'no audience': { ...good, audience: undefined },
    'a field that does not exist': { ...good, datasources: ['billing'] },
    'only claims that everybody at GitHub has': {
      ...good,
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { ref: 'refs/heads/main' },
    },
    'a subject of any owner at GitHub': {
      ...good,
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { sub: ['repo:acme/*', 'repo:*'] },
    },
    'only claims that everybody at GitLab has': {
      ...good,
      issuer: 'https://gitlab.com',
      claims: { ref_protected: 'true' },
    },
  };
  for (const [what, one] of Object.entries(wrong)) {
    it(`is refused with ${what}`, () => {
      assert.throws(() => parseTrust({ rules: [one] }), { name: 'SettingsError' });
    });
  }

  it('is taken with a subject whose owner stands before the *', () => {
    const github = { ...good, issuer: 'https://token.actions.githubusercontent.com', claims: { sub: 'repo:acme/*' } };
    assert.equal(parseTrust({ rules: [github] }).length, 1);
  });

  it('is refused with two rules of one name, and without rules', () => {
    assert.throws(() => parseTrust({ rules: [good, good] }), /rules\.1\.name is the name of another rule/);
    for (const value of [null, [], {}, { rules: [] }])
      assert.throws(() => parseTrust(value), { name: 'SettingsError' });
  });
});
