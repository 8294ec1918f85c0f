import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { makeCertificates } from '../../../support/databases/certificates.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { until } from '../../person-api/in-editor.ts';
import { temporaryFolder } from '../../support/service.ts';
import { type ThroughGateway, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server = skipped.skip === false ? await startMariadb(['--max-connections=250']) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

function packet(sequence: number, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(4, sequence);
  head.writeUIntLE(bytes.length, 0, 3);
  return Buffer.concat([head, bytes]);
}

/** Sends bytes, and gives what comes back until the gateway closes the connection. */
async function answerTo(port: number, ...parts: Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = once(socket, 'close');
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const part of parts) socket.write(part);
  await Promise.race([closed, sleep(5000).then(() => assert.fail('the gateway leaves it open'))]);
  return Buffer.concat(chunks).toString('latin1');
}

/** Asks for TLS: the capabilities, among them CLIENT_SSL and the protocol of 4.1. */
const tlsRequest = packet(1, Buffer.concat([Buffer.from([0, 0x8a, 8, 0]), Buffer.alloc(28)]));

/** The stream of a client, to send what the client never would. */
function streamOf(client: mysql.Connection): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Sends one command, and gives the answer as text. */
async function ask(ada: ThroughGateway, body: Buffer | string): Promise<string> {
  const client = await ada.connect();
  const stream = streamOf(client);
  stream.removeAllListeners('data');
  const answered = once(stream, 'data');
  stream.write(packet(0, body));
  const [answer] = (await answered) as [Buffer];
  client.destroy();
  return answer.toString('latin1');
}

describe('the gateway for MySQL, before a log-in', skipped, () => {
  it(
    'takes what comes after the request for TLS as TLS, never as a log-in in the clear',
    requires('openssl'),
    async () => {
      const folder = await temporaryFolder();
      const { certificate, key } = makeCertificates();
      const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
      await Promise.all([writeFile(certFile, certificate), writeFile(keyFile, key)]);
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      const { login } = await throughGateway(uri, { tls: { certFile, keyFile } });
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      const named = Buffer.concat([Buffer.from([0, 0x82, 8, 0]), Buffer.alloc(28), Buffer.from('ada\0\0\0')]);
      const answer = await answerTo(login.port, Buffer.concat([tlsRequest, packet(2, named)]));
      // Behind the greeting comes an alert of TLS at most.
      assert.doesNotMatch(answer, /malformed|data source|password is wrong/);
      assert.match(await answerTo(login.port, packet(1, named)), /encrypted connections only/);
    },
  );

  it('answers what is malformed with an error or the end', async () => {
    const { login } = await throughGateway(uri);
    assert.match(await answerTo(login.port, Buffer.from('GET / HTTP/1.1\r\n\r\n')), /malformed/);
    assert.match(await answerTo(login.port, packet(1, 'short')), /malformed/);
    assert.match(await answerTo(login.port, packet(7, Buffer.alloc(40))), /malformed/);
    assert.match(await answerTo(login.port, packet(1, Buffer.alloc(40))), /too old/);
    assert.match(await answerTo(login.port, tlsRequest), /did not offer TLS/);
    const named = Buffer.concat([Buffer.from([0, 0x82, 8, 0]), Buffer.alloc(28), Buffer.from('ada\0\0\0')]);
    assert.match(await answerTo(login.port, packet(1, named)), /names no data source/);
  });

  it('stands a thousand connections that send anything, and lets people in beside them', async () => {
    const ada = await throughGateway(uri);
    const sockets: Socket[] = [];
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(ada.login.port, '127.0.0.1').on('error', () => undefined);
      // Some say nothing.
      if (count % 3 > 0)
        socket.write(count % 3 === 1 ? randomBytes(count) : packet(1, randomBytes(100)).subarray(0, 50));
      socket.resume();
      sockets.push(socket);
    }
    await until(() => sockets.every((socket) => !socket.connecting));
    for (const socket of sockets) socket.destroy();
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
});

describe('a session of MySQL through the gateway', skipped, () => {
  it('refuses what is for servers and administrators, with the reason, and goes on', async () => {
    const ada = await throughGateway(uri);
    const refusals: Record<string, RegExp> = {
      '\x05shop': /send CREATE DATABASE/,
      '\x07\x01': /send FLUSH/,
      '\x08': /COM_SHUTDOWN is refused/,
      '\x0c\x05\0\0\0': /send KILL as a statement/,
      '\x0d': /COM_DEBUG is refused/,
      '\x11ben\0': /COM_CHANGE_USER is refused/,
      '\x12\x04\0\0\0': /COM_BINLOG_DUMP is refused/,
      '\x15\x01\0\0\0': /COM_REGISTER_SLAVE is refused/,
      '\x1e': /COM_BINLOG_DUMP_GTID is refused/,
      c: /does not know the command 99/,
    };
    for (const [command, reason] of Object.entries(refusals)) {
      assert.match(await ask(ada, Buffer.from(command, 'latin1')), reason);
    }
    const client = await ada.connect();
    const stream = streamOf(client);
    // In one piece, before the answers: each is answered in its turn.
    const pieces = [packet(0, '\x03select 1'), packet(0, '\x08'), packet(0, '\x03select 2'), packet(0, '\x0e')];
    stream.removeAllListeners('data');
    let seen = '';
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
    });
    stream.write(Buffer.concat(pieces));
    await until(() => /1.*COM_SHUTDOWN is refused.*2.*\xfe..\x02\0\x07\0\0\x01\0/s.test(seen));
    client.destroy();
  });

  it('ends when a server asks for a file of the client', async () => {
    const asking = createServer((socket) => {
      const upstream = connect(server?.port ?? 0, '127.0.0.1').on('error', () => undefined);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        // A server that is up to no good answers every query so.
        if (chunk.includes('select file')) socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')));
        else upstream.write(chunk);
      });
      upstream.pipe(socket);
      socket.on('close', () => upstream.destroy());
    }).listen(0, '127.0.0.1');
    await once(asking, 'listening');
    const { port } = asking.address() as { port: number };
    const ada = await throughGateway(`${uri.replace(/:\d+\//, `:${port}/`)}?ssl-mode=disabled`);
    const answer = await ask(ada, '\x03select file');
    assert.match(answer, /asks for a file of the client/);
    assert.doesNotMatch(answer, /passwd/);
    asking.close();
  });

  it('takes bounded memory for 200 clients that do not read, and ends with the access', async () => {
    const ada = await throughGateway(uri);
    const admin = await mysql.createConnection({ uri });
    const clients: mysql.Connection[] = [];
    const before = process.memoryUsage.rss();
    const threads = async (state: string): Promise<number> => {
      const sql = "select count(*) as n from information_schema.processlist where info like 'select repeat%'";
      const [rows] = await admin.query<mysql.RowDataPacket[]>(sql + state);
      return Number(rows[0]?.['n']);
    };
    while (clients.length < 200) {
      for (const client of await Promise.all(Array.from({ length: 40 }, () => ada.connect()))) {
        client.query("select repeat('x', 100000) from seq_1_to_10000").catch(() => undefined);
        streamOf(client).pause();
        clients.push(client);
      }
      await until(async () => (await threads(" and state = 'Writing to net'")) === clients.length);
    }
    const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
    assert.ok(grown < 300, `${grown.toFixed(0)} MiB more`);
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    await until(async () => (await threads('')) === 0);
    await admin.end();
    for (const client of clients) streamOf(client).destroy();
  });

  it('is followed through any bytes of its client: it goes on, or ends with an error', async () => {
    const ada = await throughGateway(uri);
    for (let count = 0; count < 30; count += 1) {
      const stream = streamOf(await ada.connect());
      const ended = once(stream, 'close');
      stream.write(randomBytes(1 + count * 50));
      stream.end();
      await Promise.race([ended, sleep(3000).then(() => assert.fail('it hangs'))]);
    }
    const client = await ada.connect();
    assert.deepEqual((await client.query('select 1 as a'))[0], [{ a: 1 }]);
    await client.end();
  });
});
