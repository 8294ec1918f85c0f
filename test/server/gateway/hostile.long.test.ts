import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import pg from 'pg';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { until } from '../person-api/in-editor.ts';
import { temporaryFolder } from '../support/service.ts';
import { throughGateway } from './through-gateway.ts';

const skipped = requires('postgresql', 'openssl');
const server = skipped.skip === false ? await startPostgres({ max_connections: '250' }) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

function packet(code: number, rest: Buffer | string = ''): Buffer {
  const body = Buffer.from(rest);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.writeUInt32BE(code, 4);
  return Buffer.concat([head, body]);
}

const [protocol3, tlsCode, gssCode] = [196_608, 80_877_103, 80_877_104];

/** Sends bytes, and gives what comes back until the gateway closes the connection. */
async function answerTo(port: number, ...parts: Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = once(socket, 'close');
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const part of parts) {
    socket.write(part);
    await sleep(20);
  }
  await Promise.race([closed, sleep(5000).then(() => assert.fail('the gateway leaves it open'))]);
  return Buffer.concat(chunks).toString('latin1');
}

const certified = async () => {
  const folder = await temporaryFolder();
  const { certificate, key } = makeCertificates();
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  await Promise.all([writeFile(certFile, certificate), writeFile(keyFile, key)]);
  return { certFile, keyFile };
};

describe('the gateway, before a log-in', skipped, () => {
  it('refuses bytes that came before TLS, however they are cut', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const { login } = await throughGateway(uri, { tls: await certified() });
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const startup = packet(protocol3, 'user\0ada\0database\0shop\0\0');
    assert.match(await answerTo(login.port, Buffer.concat([packet(tlsCode), startup])), /sent more before/);
    assert.match(await answerTo(login.port, startup), /encrypted connections only/);
    assert.match(
      await answerTo(login.port, packet(gssCode), Buffer.concat([packet(tlsCode), startup])),
      /^N.*sent more/s,
    );
  });

  it('answers what is malformed with an error or the end, and asks for encryption end', async () => {
    const { login } = await throughGateway(uri);
    assert.match(
      await answerTo(login.port, packet(gssCode), packet(tlsCode), packet(gssCode), packet(tlsCode)),
      /again and again/,
    );
    assert.match(await answerTo(login.port, Buffer.from('GET / HTTP/1.1\r\n\r\n')), /malformed/);
    assert.match(await answerTo(login.port, packet(2 << 16)), /protocol 2.0 is not spoken/);
    assert.match(await answerTo(login.port, packet(protocol3, 'user\0ada\0database')), /malformed/);
    assert.match(
      await answerTo(login.port, packet(protocol3, 'user\0ada\0database\0shop\0session_preload_libraries\0x\0\0')),
      /passes on no startup parameter/,
    );
    const start = packet(protocol3, 'user\0ada\0database\0shop\0\0');
    const long = Buffer.alloc(5, 'p');
    long.writeUInt32BE(100_000, 1);
    assert.match(await answerTo(login.port, start, long), /another message/);
  });

  it('stands a thousand connections that send anything, and serves people beside them', async () => {
    const ada = await throughGateway(uri);
    const good = await ada.connect();
    const sockets: Socket[] = [];
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(ada.login.port, '127.0.0.1').on('error', () => undefined);
      // Some say nothing, and some are cut off in the middle of a packet.
      if (count % 3 > 0)
        socket.write(count % 3 === 1 ? randomBytes(count) : packet(protocol3, randomBytes(100)).subarray(0, 50));
      socket.resume();
      sockets.push(socket);
    }
    for (let count = 0; count < 100; count += 1) {
      assert.deepEqual((await good.query('select $1::int as a', [count])).rows, [{ a: count }]);
      await sleep(5);
    }
    for (const socket of sockets) socket.destroy();
    await good.end();
    await until(() =>
      ada.connect().then(
        async (client) => {
          await client.end();
          return true;
        },
        () => false,
      ),
    );
  });

  it('tells a client that speaks a newer protocol which one it speaks', async () => {
    const { login } = await throughGateway(uri);
    const socket = connect(login.port, '127.0.0.1');
    socket.write(packet(protocol3 + 9999, 'user\0ada\0database\0shop\0_pq_.new\0on\0\0'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    assert.equal(answer.toString('latin1', 0, 1), 'v');
    assert.equal(answer.readUInt32BE(5), protocol3 + 2);
    assert.match(answer.toString('latin1', 13), /^_pq_\.new\0/);
  });
});

describe('a session through the gateway', skipped, () => {
  it('takes bounded memory for 200 clients that do not read, and ends with the access', async () => {
    const ada = await throughGateway(uri);
    const admin = new pg.Client({ connectionString: uri });
    await admin.connect();
    const clients: pg.Client[] = [];
    const before = process.memoryUsage.rss();
    const backends = async (state: string): Promise<number> => {
      const sql = "select count(*)::int as n from pg_stat_activity where query like 'select repeat%'";
      return (await admin.query<{ n: number }>(sql + state)).rows[0]?.n ?? -1;
    };
    while (clients.length < 200) {
      for (const client of await Promise.all(Array.from({ length: 40 }, () => ada.connect()))) {
        client.query("select repeat('x', 100000) from generate_series(1, 10000)").catch(() => undefined);
        client.connection.stream.pause();
        clients.push(client);
      }
      await until(async () => (await backends(" and wait_event = 'ClientWrite'")) === clients.length);
    }
    const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
    assert.ok(grown < 300, `${grown.toFixed(0)} MiB more`);
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    await until(async () => (await backends('')) === 0);
    await admin.end();
    for (const { connection } of clients) connection.stream.destroy();
  });

  it('ends with the access for a client that is gone without a word, and leaves nothing', async () => {
    const ada = await throughGateway(uri);
    const relay = await startRelay(ada.login.port);
    const client = await ada.connect({ port: relay.port, application_name: 'half-open' });
    client.query("select repeat('x', 100000) from generate_series(1, 1000000)").catch(() => undefined);
    const admin = new pg.Client({ connectionString: uri });
    await admin.connect();
    const backends = async () =>
      (await admin.query("select 1 from pg_stat_activity where application_name = 'half-open'")).rowCount;
    await until(async () => (await backends()) === 1);
    relay.hang();
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    await until(async () => (await backends()) === 0);
    await until(async () => {
      const { sessions } = await ada.service.ok<AnswerOf<'listGatewaySessions'>>('GET', '/gateway-session');
      return sessions.length === 0;
    });
    await admin.end();
    await relay.stop();
  });

  it('ends when its server is killed, and lets people in again when the server is back', async () => {
    const restarted = await startPostgres({}, {}, true);
    const ada = await throughGateway(restarted.uri);
    const client = await ada.connect();
    const failed = client.query('select pg_sleep(1000)').then(
      () => false,
      () => true,
    );
    await sleep(200);
    await restarted.kill('SIGKILL');
    assert.ok(await failed);
    await until(() =>
      ada.connect().then(
        async (again) => {
          await again.end();
          return true;
        },
        () => false,
      ),
    );
    await restarted.stop();
  });

  it('is followed through any bytes of its client: it goes on, or ends with an error', async () => {
    const ada = await throughGateway(uri);
    for (let count = 0; count < 30; count += 1) {
      const client = await ada.connect();
      const { stream } = client.connection;
      const ended = once(stream, 'close');
      stream.write(randomBytes(1 + count * 50));
      stream.end();
      await Promise.race([ended, sleep(3000).then(() => assert.fail('it hangs'))]);
    }
    const client = await ada.connect();
    assert.deepEqual((await client.query('select 1 as a')).rows, [{ a: 1 }]);
    await client.end();
  });
});
