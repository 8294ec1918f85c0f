import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { before, describe, it } from 'node:test';
import { CallError, createClient, type Proxies } from '@rolecall/api';
import { describeCall } from '../../../cli/workspace/describe-call.ts';
import { json, scriptedServer } from '../../api/client/scripted-server.ts';
import { type Certificates, makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { listenOn } from '../../support/relay.ts';

const key = { keyId: 'kid7', keySecret: 's3cret-of-the-key' };
const sources = { keyId: 'ROLECALL_KEY_ID', keySecret: 'ROLECALL_KEY_SECRET' };

/** How the command line describes a call that fails. */
async function describeFailureOf(url: string, ca?: string, proxies?: Proxies): Promise<string> {
  const client = createClient({ url, ...key, ca, proxies, retries: { attempts: 1 } });
  const error: unknown = await client.call('listPeople', {}).catch((reason: unknown) => reason);
  await client.close();
  assert.ok(error instanceof CallError, String(error));
  const words = describeCall(error, {
    url,
    identity: { by: 'key', ...key, sources },
    sources: { url: 'ROLECALL_URL' },
  });
  assert.doesNotMatch(words, /listPeople|attempt|\/api\/v2|s3cret/, 'neither the call nor the secret is named');
  return words;
}

function problem(status: number, code: string, detail: string) {
  return json({ type: `urn:rolecall:problem:${code}`, status, code, title: 'x', detail }, status);
}

describe('a failed call is described by what the user has set', () => {
  it('where nothing listens, or no such host is', async () => {
    assert.match(
      await describeFailureOf('http://127.0.0.1:1'),
      /^cannot reach http:\/\/127\.0\.0\.1:1 \(ROLECALL_URL\): the connection was refused\. Check that the service is running, and its address$/,
    );
    assert.match(await describeFailureOf('http://nothing.invalid'), /no host with that name|could not be resolved/);
    assert.match(
      await describeFailureOf('https://nothing.invalid', undefined, { https: 'http://127.0.0.1:1' }),
      /the connection was refused\. .*its address\. Check the proxy that HTTPS_PROXY or HTTP_PROXY names too/,
    );
  });

  it('where the key is refused, or may not do it', async () => {
    await using unknown = await scriptedServer(problem(401, 'unauthenticated', 'the key is unknown'));
    assert.match(
      await describeFailureOf(unknown.url),
      /refused the API key kid7 \(ROLECALL_KEY_ID\): it is unknown, revoked or expired, or its secret \(ROLECALL_KEY_SECRET\) is wrong/,
    );
    await using small = await scriptedServer(problem(403, 'insufficient_scope', 'the operation needs the scope admin'));
    assert.match(
      await describeFailureOf(small.url),
      /kid7 \(ROLECALL_KEY_ID\): the operation needs the scope admin\. Create a key/,
    );
  });

  it('where HTTP answers and HTTPS was meant', async () => {
    await using server = await scriptedServer(json([]));
    assert.match(
      await describeFailureOf(server.url.replace('http:', 'https:')),
      /does not speak TLS\. .* write http:\/\//,
    );
  });

  describe('with a certificate', requires('openssl'), () => {
    let made: Certificates;
    before(() => {
      made = makeCertificates();
    });

    async function serving(check: (port: number) => Promise<void>): Promise<void> {
      const server = createServer({ cert: made.certificate, key: made.key }, (_request, response) =>
        response.end('[]'),
      );
      const port = await listenOn(server);
      try {
        await check(port);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }

    it('of an unknown authority', async () => {
      await serving(async (port) => {
        assert.match(
          await describeFailureOf(`https://localhost:${port}`),
          /authority that is not trusted here\. .*--ca-file/,
        );
      });
    });

    it('for another name', async () => {
      await serving(async (port) => {
        const words = await describeFailureOf(`https://127.0.0.1:${port}`, made.authority);
        assert.match(words, /its certificate is for localhost\. Use one of those names in the address/);
      });
    });

    it('where HTTPS answers and HTTP was meant', async () => {
      await serving(async (port) => {
        assert.match(
          await describeFailureOf(`http://127.0.0.1:${port}`),
          /cut before .*If the service speaks TLS, write https:\/\//,
        );
      });
    });
  });
});
