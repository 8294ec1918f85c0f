import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeCertificates, trust } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import type { DatabaseServer } from '../../support/databases/server.ts';
import { until } from '../person-api/in-editor.ts';
import { type Client, type Failure, failureOf, type Protocol, protocols } from './protocols.ts';

/** Locks a person in the middle of a result. @returns what the client is told */
async function cutInRows(protocol: Protocol, uri: string, admin: Client): Promise<Failure> {
  const ada = await protocol.through(uri);
  const client = await ada.connect();
  const failed = client.failure(protocol.slowRows);
  const running = async (): Promise<boolean> => {
    const [{ n } = {}] = await admin.rows(protocol.running('sleep(0.01)'));
    return Number(n) > 0;
  };
  await until(running);
  await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
  const at = performance.now();
  await until(async () => !(await running()));
  assert.ok(performance.now() - at < 1000, `${performance.now() - at} ms later`);
  return failed;
}

for (const protocol of protocols) {
  describe(`a session through the gateway to ${protocol.name} over TLS`, requires(protocol.name, 'openssl'), () => {
    const { any, checked } = protocol.tls;
    let server: DatabaseServer;
    let admin: Client;
    let authority: string;
    before(async () => {
      const { certificate, key, ...made } = makeCertificates('DNS:localhost');
      ({ authority } = made);
      server = await protocol.start({ 'server.pem': certificate, 'server.key': key });
      admin = await protocol.direct(server);
    });
    after(async () => {
      await admin.end();
      await server.stop();
    });

    const uriOf = (how: string, host = 'localhost'): string => `${server.uri.replace('127.0.0.1', host)}?${how}`;
    const refused = async (uri: string): Promise<string> => {
      const ada = await protocol.through(uri);
      const { message } = await failureOf(ada.connect());
      assert.ok(!message.includes(server.password), 'it has the password of the data source');
      return message;
    };

    // First: what is trusted stays trusted.
    it('is refused where another authority than those that are trusted has signed the certificate', async () => {
      trust(makeCertificates().authority);
      assert.match(await refused(uriOf(checked)), /^the data source cannot be reached: .*(verify|self-signed)/);
    });

    it('is refused where the certificate has another name', async () => {
      trust(authority);
      const told = await refused(uriOf(checked, '127.0.0.1'));
      assert.match(told, /^the data source cannot be reached: .*(does not match|needs the host by name)/);
    });

    for (const how of [any, checked]) {
      it(`works with ${how}, gives what the server gives, and is encrypted`, async () => {
        trust(authority);
        const ada = await protocol.through(uriOf(how));
        const client = await ada.connect();
        const [{ encrypted } = {}] = await client.rows(protocol.encrypted);
        assert.equal(Boolean(encrypted), true);
        const large = `select n, concat(repeat('x', 1000), n) as t from ${protocol.numbers(5000)} order by n`;
        assert.deepEqual(await client.rows(large), await admin.rows(large));
        const marker = protocol.name === 'postgresql' ? '$1' : '?';
        const prepared = `select ${marker} as a`;
        assert.deepEqual(await client.rows(prepared, ['ü']), await admin.rows(prepared, ['ü']));
        const wrong = 'select 1 from missing';
        assert.deepEqual(await client.failure(wrong), await admin.failure(wrong));
        await client.end();
      });
    }

    it('ends with the access in the middle of a result, and its statement with it', async () => {
      trust(authority);
      let told = await cutInRows(protocol, uriOf(checked), admin);
      // MariaDB now and then stops within a row. No message can follow that.
      for (let again = 0; again < 3 && told.code === 'PROTOCOL_CONNECTION_LOST'; again += 1) {
        told = await cutInRows(protocol, uriOf(checked), admin);
      }
      assert.equal(told.code, protocol.cutCode);
      assert.match(told.message, /your account is locked/);
    });
  });
}
