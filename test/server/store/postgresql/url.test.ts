import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { StoreUnavailableError } from '../../../../server/store/errors.ts';
import { openPostgresStore } from '../../../../server/store/postgresql/open.ts';
import { parseStoreUrl } from '../../../../server/store/postgresql/url.ts';

const modeOf = (host: string, query = '') =>
  parseStoreUrl(`postgresql://ada:hunter2@${host}/rolecall${query}`).parameters['sslmode'];

/** An address of this machine that is not loopback, as that of a server elsewhere. */
const elsewhere = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe("the URL of the store's database", () => {
  it('demands a checked certificate of a server on another machine, unless it says otherwise', () => {
    for (const host of ['db.internal', '10.0.0.1', '[2001:db8::1]', 'localhost.example.com', '127.example.com']) {
      assert.equal(modeOf(host), 'verify-full', host);
      assert.equal(modeOf(host, '?sslmode=prefer'), 'verify-full', host);
      for (const mode of ['disable', 'require', 'verify-ca']) assert.equal(modeOf(host, `?sslmode=${mode}`), mode);
    }
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) assert.equal(modeOf(host), undefined, host);
  });

  const skip = elsewhere === undefined ? 'needs an address that is not loopback' : false;
  it('without a word of TLS sends nothing in clear, and the error says what to choose', { skip }, async (test) => {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk);
        if (chunk.length === 8) socket.write('N');
        else socket.destroy();
      });
    }).listen(0, elsewhere);
    test.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await assert.rejects(openPostgresStore(`postgresql://ada:hunter2@${elsewhere}:${port}/rolecall`), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /no sslmode.*NODE_EXTRA_CA_CERTS.*sslmode=require.*sslmode=disable/);
      assert.ok(!error.message.includes('hunter2'));
      return true;
    });
    // Nothing but the question for TLS, 8 bytes, each time.
    assert.ok(received.length > 0);
    for (const chunk of received) assert.equal(chunk.toString('hex'), '0000000804d2162f');
  });
});
