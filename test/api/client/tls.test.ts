import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NetworkError, OptionsError } from '@rolecall/api';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { listenOn } from '../../support/relay.ts';
import { harness, rejection } from './harness.ts';
import { certificate, privateKey } from './tls-fixture.ts';

describe('over TLS', () => {
  const server = createServer({ cert: certificate, key: privateKey }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  let url = '';
  let folder = '';
  before(async () => {
    const port = await listenOn(server);
    url = `https://127.0.0.1:${port}`;
    folder = await mkdtemp(path.join(tmpdir(), 'rolecall-tls-'));
    await writeFile(path.join(folder, 'ca.pem'), certificate);
    await writeFile(path.join(folder, 'other.pem'), 'not a certificate');
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  it('a certificate whose authority is given is trusted', async () => {
    await using byText = harness(url, { ca: certificate });
    assert.deepEqual(await byText.client.call('listPeople', {}), []);
    await using byFile = harness(url, { caFile: path.join(folder, 'ca.pem') });
    assert.deepEqual(await byFile.client.call('listPeople', {}), []);
  });

  it('one that no one vouches for is refused before anything is sent, once and for all', async () => {
    await using it = harness(url);
    const error = await rejection(it.client.call('createRole', { body: { name: 'a' } }), NetworkError);
    assert.equal(error.outcome, 'not-sent');
    assert.equal(it.calls.length, 1);
    assert.match(error.message, /the TLS connection failed.*caFile/);
  });

  it(
    'one that the given authorities did not sign is said to be, with the file that has them',
    requires('openssl'),
    async () => {
      const { authority: another } = makeCertificates();
      await writeFile(path.join(folder, 'another.pem'), another);
      await using byFile = harness(url, { caFile: path.join(folder, 'another.pem') });
      const error = await rejection(byFile.client.call('listPeople', {}), NetworkError);
      assert.match(error.message, /none of the certificate authorities in caFile \S+another\.pem signed/);
      await using byText = harness(url, { ca: another });
      await assert.rejects(byText.client.call('listPeople', {}), /none of the given certificate authorities signed/);
    },
  );

  it('one that is for another host is said to be, as no authority would help', async () => {
    await using it = harness(url.replace('127.0.0.1', '[::ffff:127.0.0.1]'), { ca: certificate });
    const error = await rejection(it.client.call('listPeople', {}), NetworkError);
    assert.match(error.message, /ERR_TLS_CERT_ALTNAME_INVALID.*is not for this host\. Write the name that it is for/);
  });

  it('plain HTTP spoken to it, or it to plain HTTP, is a clear error', async () => {
    await using it = harness(url.replace('https:', 'http:'), { retries: { attempts: 1 } });
    await assert.rejects(it.client.call('listPeople', {}), /^\w*Error: listPeople \(GET \/api\/v2\/person\) /);
  });

  it('a file of authorities that cannot be read or has none is an error at once', () => {
    assert.throws(
      () => harness(url, { caFile: path.join(folder, 'absent.pem') }),
      /absent\.pem cannot be read: ENOENT/,
    );
    assert.throws(
      () => harness(url, { caFile: path.join(folder, 'other.pem') }),
      /other\.pem must contain a PEM certificate/,
    );
    assert.throws(() => harness(url, { ca: '' }), OptionsError);
    assert.throws(() => harness(url, { ca: certificate, caFile: 'x' }), /ca or caFile, not both/);
  });
});
