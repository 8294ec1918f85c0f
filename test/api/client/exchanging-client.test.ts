import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { parseTrust, type Service, startService } from '@rolecall/server';
import { ExchangedKeySource } from '../../../api/client/exchanged-key-source.ts';
import { ExchangingClient } from '../../../api/client/exchanging-client.ts';
import type { ClientOptions } from '../../../api/client/options.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { listenOn } from '../../support/relay.ts';

const audience = 'https://workspace.example.com';

const exchanging = (options: Omit<ClientOptions, 'keyId' | 'keySecret'>, token: () => Promise<string>) =>
  new ExchangingClient(options, new ExchangedKeySource(options, token));

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
    const client = exchanging({ url: service.url }, () => {
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
    const client = exchanging({ url: service.url }, () => Promise.resolve(tokens.shift() ?? ''));
    await assert.rejects(client.call('listPeople', {}), { problem: 'token_refused' });
    assert.deepEqual(await client.call('listPeople', {}), []);
    await client.close();
  });

  it('sends a token that it has exchanged no second time, and waits for the one that takes its place', async (t) => {
    let token = await issuer.sign({ repository: 'acme/access' });
    const calls: string[] = [];
    const onCall = ({ operationId }: { operationId: string }) => calls.push(operationId);
    const client = exchanging({ url: service.url, onCall }, () => Promise.resolve(token));
    await client.call('listPeople', {});
    const now = Date.now();
    t.mock.method(Date, 'now', () => now + 61_000);
    await assert.rejects(client.call('listPeople', {}), { name: 'IdTokenError', message: /has not been replaced yet/ });
    assert.deepEqual(calls, ['exchangeToken', 'listPeople']);
    token = await issuer.sign({ repository: 'acme/access', jti: 'another' });
    assert.deepEqual(await client.call('listPeople', {}), []);
    await client.close();
  });

  it('shares one key with the other clients of its source, and outlives their end', async () => {
    let signed = 0;
    const source = new ExchangedKeySource({ url: service.url }, () => {
      signed += 1;
      return issuer.sign({ repository: 'acme/access' });
    });
    const [one, other] = [0, 1].map(() => new ExchangingClient({ url: service.url }, source));
    await Promise.all([one?.call('listPeople', {}), other?.call('listRoles', {})]);
    await one?.close();
    assert.deepEqual(await other?.call('listPeople', {}), []);
    await assert.rejects(one?.call('listPeople', {}) ?? Promise.resolve(), { name: 'ClosedError' });
    assert.equal(signed, 1);
    await other?.close();
  });
});

describe('the clients of keys that were replaced', () => {
  it('are closed once their last call has ended, also one that is repeated in between', {
    timeout: 20_000,
  }, async (t) => {
    let exchanges = 0;
    const waiting: ServerResponse[] = [];
    const arrived = Promise.withResolvers<ServerResponse>();
    const keys: string[] = [];
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url?.endsWith('/token-exchange') === true) {
        exchanges += 1;
        const expiresAt = new Date(Date.now() + 600_000).toISOString();
        const key = { id: `key${exchanges}`.padEnd(12, '0'), secret: 'x'.repeat(43), scope: 'read', dataSources: null };
        response.end(JSON.stringify({ ...key, expiresAt }));
        return;
      }
      keys.push(
        Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64')
          .toString()
          .slice(0, 4),
      );
      if (request.url?.endsWith('/role') === true && waiting.length === 0) {
        waiting.push(response);
        arrived.resolve(response);
      } else response.end('[]');
    });
    const url = `http://127.0.0.1:${await listenOn(server)}`;
    // No connection ends because nothing uses it.
    server.keepAliveTimeout = 600_000;
    const open = new Set<unknown>();
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    const client = exchanging({ url, retries: { attempts: 2 }, sleep: () => Promise.resolve() }, () =>
      Promise.resolve(`a.${exchanges}.c`),
    );
    const slow = client.call('listRoles', {});
    await arrived.promise;
    const now = Date.now();
    const clock = t.mock.method(Date, 'now', () => now + 601_000);
    await client.call('listPeople', {});
    // The first try fails after its key was replaced: the call is repeated, with that key.
    waiting[0]?.writeHead(503).end();
    assert.deepEqual(await slow, []);
    assert.deepEqual([exchanges, keys], [2, ['key1', 'key2', 'key1']]);
    for (let turn = 2; turn <= 6; turn += 1) {
      clock.mock.mockImplementation(() => now + turn * 601_000);
      await client.call('listPeople', {});
    }
    while (open.size > 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(exchanges, 7);
    await client.close();
    while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await assert.rejects(client.call('listPeople', {}), { name: 'ClosedError' });
    server.close();
  });
});
