import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { connect, createSecureContext } from 'node:tls';
import { secureContext } from '../../../server/http/tls.ts';
import { secure } from '../../../server/protocols/tls.ts';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { until } from '../person-api/in-editor.ts';

/** A client that has TLS with the gateway, the connection below it, and the gateway's side. */
async function begun(test: TestContext) {
  const { authority, certificate, key } = makeCertificates();
  const pair = { cert: certificate, key, expiresAt: new Date() };
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const below = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
  const side = secure((await accepted)[0], createSecureContext(secureContext(pair)), 'postgresql');
  const client = connect({ socket: below, ca: authority, servername: 'localhost', maxVersion: 'TLSv1.2' });
  test.after(() => {
    for (const stream of [client, below, side]) stream.destroy();
    server.close();
  });
  for (const stream of [client, side]) stream.on('error', () => undefined);
  await once(client, 'secureConnect');
  return { client, below, side };
}

describe('TLS with a client of the gateway', requires('openssl'), () => {
  it('ends the connection where it breaks behind the handshake', async (test) => {
    const { below, side, client } = await begun(test);
    client.write('whole');
    assert.equal(String(((await once(side, 'data')) as [Buffer])[0]), 'whole');
    const [applicationData, length] = ['\x17\x03\x03', '\0\x40'];
    below.write(Buffer.concat([Buffer.from(applicationData + length), randomBytes(64)]));
    await until(() => side.destroyed);
  });

  it('is not negotiated again, as one connection could ask for that any number of times', async (test) => {
    const { client } = await begun(test);
    const error = await new Promise<Error | null>((resolve) => {
      client.renegotiate({}, resolve);
      client.once('error', resolve);
    });
    assert.match(String(error), /no renegotiation/i);
  });
});
