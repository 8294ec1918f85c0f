import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { until } from '../../person-api/in-editor.ts';
import { packet } from '../../support/wire.ts';
import { failureOf } from '../protocols.ts';
import { answerTo, certified } from '../through-gateway.ts';
import { open, streamOf, type ThroughGateway, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server = skipped.skip === false ? await startMariadb() : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** Asks for TLS: the capabilities, among them CLIENT_SSL and the protocol of 4.1. */
const tlsRequest = packet(1, Buffer.concat([Buffer.from([0, 0x8a, 8, 0]), Buffer.alloc(28)]));

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
      const { login } = await certified((tls) => throughGateway(uri, { tls }));
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
    // It would compress whatever it was offered, as PHP does.
    named[0] = 0x20;
    assert.match(await answerTo(login.port, packet(1, named)), /compression is refused.*Connect without it/);
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
      '\x11ben\0\0\0': /COM_CHANGE_USER is refused/,
      [`\x11ben\0\0${'x'.repeat(500)}\0`]: /COM_CHANGE_USER is refused/,
      '\x11ben': /broke the protocol/,
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
    const pieces = [
      packet(0, '\x03select 1'),
      packet(0, `\x11ben\0\0${'x'.repeat(500)}\0`),
      packet(0, '\x08'),
      packet(0, '\x03select 2'),
      packet(0, '\x0e'),
    ];
    stream.removeAllListeners('data');
    let seen = '';
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
    });
    stream.write(Buffer.concat(pieces));
    await until(() => /1.*COM_SHUTDOWN is refused.*2.*\xfe..\x02\0\x07\0\0\x01\0/s.test(seen));
    client.destroy();
  });

  it('begins anew for a client that changes to the user that it is, as pools do, and ends like any other', async () => {
    const ada = await throughGateway(uri);
    const { user, database, password } = ada.login;
    const logins = [
      { user, database },
      { user: `${user}@${database}`, database: 'rolecall' },
    ];
    for (const login of logins) {
      const client = await ada.connect(login);
      await client.query('create temporary table t (i int)');
      await client.query('set @a = 1');
      await client.execute('select ?', [1]);
      await client.query('begin');
      await client.query('use mysql');
      await client.changeUser({ ...login, password, charset: 'latin1_swedish_ci' });
      const [rows] = await client.query(
        'select @a as a, database() as d, @@character_set_client as c, @@in_transaction as t',
      );
      assert.deepEqual(rows, [{ a: null, d: 'rolecall', c: 'latin1', t: 0 }]);
      await assert.rejects(client.query('select * from t'), /doesn't exist/);
      assert.deepEqual((await client.execute('select ? as n', [2]))[0], [{ n: 2 }]);
      await assert.rejects(client.changeUser({ ...login, password, user: 'ben' }), /refused for another user/);
      await assert.rejects(client.changeUser({ ...login, password, database: 'mysql' }), /refused for another user/);
      // Its number still leads to it.
      const slow = failureOf(client.query('select sleep(1000)'));
      const killer = await ada.connect();
      await until(() =>
        killer.query(`kill query ${client.threadId}`).then(async () => {
          await sleep(20);
          return Promise.race([slow.then(() => true), sleep(200).then(() => false)]);
        }),
      );
      await killer.end();
      await assert.rejects(client.changeUser({ ...login, password: 'wrong' }), /not the one of this session/);
    }
    const cut = await ada.connect();
    await cut.changeUser({ user, database, password });
    const slow = failureOf(cut.query('select sleep(1000)'));
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    assert.match((await slow).message, /your account is locked/);
    const admin = await open({ uri });
    await until(async () => {
      const [rows] = (await admin.query('show processlist')) as unknown as [unknown[]];
      return rows.length === 1;
    });
    await admin.end();
  });

  it('ends when a server asks for a file of the client', async () => {
    const asking = createServer((socket) => {
      const upstream = connect(server?.port ?? 0, '127.0.0.1').on('error', () => undefined);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        // A server that is up to no good answers every query so.
        if (chunk.includes('select file')) socket.write(packet(1, '\xfb/etc/passwd'));
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
});
