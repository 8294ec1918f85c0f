import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { describe, it } from 'node:test';
import { createClient, OptionsError, type Proxies } from '@rolecall/api';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { listenOn } from '../../support/relay.ts';
import { json, scriptedServer } from './scripted-server.ts';
import { certificate, privateKey } from './tls-fixture.ts';

async function list(url: string, proxies: Proxies, ca?: string, attempts = 1): Promise<void> {
  const client = createClient({ url, proxies, ca, keyId: 'k', keySecret: 's', retries: { attempts, baseDelayMs: 1 } });
  try {
    await client.call('listPeople', {});
  } finally {
    await client.close();
  }
}

describe('the proxies of a client', () => {
  it('lead HTTP to a service that is elsewhere', async () => {
    await using proxy = await startForwardProxy(0);
    await list('http://workspace.invalid', { http: proxy.url.replace('http://', '') });
    assert.deepEqual(proxy.asked, ['http://workspace.invalid/api/v2/person']);
  });

  it("lead HTTPS through a tunnel, in which the service's certificate is checked for its own host", async () => {
    const server = createTlsServer({ cert: certificate, key: privateKey }, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    });
    const port = await listenOn(server);
    await using ends = new AsyncDisposableStack();
    ends.defer(() => server[Symbol.asyncDispose]());
    ends.defer(() => {
      server.closeAllConnections();
    });
    await using proxy = await startForwardProxy(port);
    const proxies = { https: proxy.url };
    // With the full stop it is a host like any other one, which the certificate is for.
    await list('https://localhost.', proxies, certificate);
    await assert.rejects(list('https://localhost.', proxies), /DEPTH_ZERO_SELF_SIGNED_CERT/);
    await assert.rejects(list('https://workspace.invalid', proxies, certificate), /ERR_TLS_CERT_ALTNAME_INVALID/);
    assert.deepEqual(proxy.asked, [
      'CONNECT localhost.:443',
      'CONNECT localhost.:443',
      'CONNECT workspace.invalid:443',
    ]);
  });

  it('are left out for this machine, and for the hosts that they are not for', async () => {
    await using server = await scriptedServer(json([]));
    await using proxy = await startForwardProxy(server.port);
    await list(server.url, { http: proxy.url });
    for (const except of ['workspace.invalid', '.invalid', '*']) {
      await assert.rejects(list('http://workspace.invalid', { http: proxy.url, except }), /workspace\.invalid/);
    }
    await assert.rejects(list('https://workspace.invalid', { http: proxy.url }), /workspace\.invalid/);
    assert.equal(server.received.length, 1);
    assert.deepEqual(proxy.asked, []);
  });

  it('are named where no connection is made, which may be for them and not for the service', async () => {
    const dead = 'http://127.0.0.1:1';
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://workspace.invalid`;
      const advised = /ECONNREFUSED.* service is running\. Check the proxy that HTTPS_PROXY or HTTP_PROXY names too/;
      await assert.rejects(list(url, { [scheme]: dead }), advised);
      await assert.rejects(list(url, {}), (error: Error) => !error.message.includes('proxy'));
    }
    await assert.rejects(
      list('http://127.0.0.1:1', { http: dead }),
      (error: Error) => !error.message.includes('proxy'),
    );
  });

  it('are told from the service where they refuse, and asked again where they cannot connect for now', async () => {
    for (const [status, asked, said] of [
      [407, 1, /the proxy answered 407\. It wants a user and a password: write them into the URL in HTTPS_PROXY/],
      [403, 1, /the proxy answered 403\. Check whether it may connect to this host/],
      [503, 2, /the proxy answered 503\./],
    ] as const) {
      let tunnels = 0;
      const proxy = createServer((_, response) => response.writeHead(407).end());
      proxy.on('connect', (_, socket) => {
        tunnels += 1;
        socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      });
      await using ends = new AsyncDisposableStack();
      ends.defer(() => proxy[Symbol.asyncDispose]());
      ends.defer(() => {
        proxy.closeAllConnections();
      });
      const url = `http://127.0.0.1:${await listenOn(proxy)}`;
      await assert.rejects(list('https://workspace.invalid', { https: url }, undefined, 2), said);
      assert.equal(tunnels, asked);
      await assert.rejects(list('http://workspace.invalid', { http: url }), /the proxy answered 407/);
    }
  });

  it('are refused by name where they are none, without what they say', () => {
    for (const https of ['ftp://me:s3cret@proxy', 'http://me:s3cret@:0x', 'http://']) {
      const open = () =>
        createClient({ url: 'https://workspace.invalid', proxies: { https }, keyId: 'k', keySecret: 's' });
      assert.throws(open, (error: unknown) => {
        assert.ok(error instanceof OptionsError);
        assert.match(error.message, /^HTTPS_PROXY is not the URL of an HTTP proxy/);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    }
  });
});
