import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseTrust, type Service, startService } from '@rolecall/server';
import { ExchangingClient } from '../../../api/client/exchanging-client.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const audience = 'https://workspace.example.com';

describe('a client that exchanges tokens for keys', () => {
  const folder = temporaryFolder();
  let issuer: TestIssuer;
  let service: Service;
  before(async () => {
    issuer = await startIssuer(audience);
    const claims = { repository: 'acme/access' };
    const rule = { name: 'ci', issuer: issuer.url, audience, claims, scope: 'read', lifetime: '1m' };
    service = await startService({ dataDir: folder.path, environment: {}, trust: parseTrust({ rules: [rule] }) });
  });
  after(async () => {
    await service.close();
    await issuer[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('exchanges one token for all calls that come together, and another one once its key is about to end', async (t) => {
    let signed = 0;
    const client = new ExchangingClient({ url: service.url }, () => {
      signed += 1;
      return issuer.sign({ repository: 'acme/access' });
    });
    await Promise.all(Array.from({ length: 20 }, () => client.call('listPeople', {})));
    assert.equal(signed, 1);
    const now = Date.now();
    t.mock.method(Date, 'now', () => now + 61_000);
    await Promise.all(Array.from({ length: 20 }, () => client.call('listPeople', {})));
    assert.equal(signed, 2);
    await client.close();
  });

  it('fails with what the service says of the token, and tries the next one with the next call', async () => {
    const tokens = [await issuer.sign({ repository: 'acme/other' }), await issuer.sign({ repository: 'acme/access' })];
    const client = new ExchangingClient({ url: service.url }, () => Promise.resolve(tokens.shift() ?? ''));
    await assert.rejects(client.call('listPeople', {}), { problem: 'token_refused' });
    assert.deepEqual(await client.call('listPeople', {}), []);
    await client.close();
  });
});
