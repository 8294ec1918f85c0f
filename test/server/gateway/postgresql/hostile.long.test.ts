import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import pg from 'pg';
import { encryptionRequest, protocol3 } from '../../../../server/protocols/postgresql/startup.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { startRelay } from '../../../support/relay.ts';
import { until } from '../../person-api/in-editor.ts';
import { startPacket as packet } from '../../support/wire.ts';
import { failureOf } from '../protocols.ts';
import { answerTo, certified, throughGateway } from '../through-gateway.ts';

const skipped = requires('postgresql', 'openssl');
const server = skipped.skip === false ? await startPostgres() : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

const [tlsRequest, gssRequest] = [encryptionRequest.encode('tls'), encryptionRequest.encode('gss')];

describe('the gateway for PostgreSQL, before a log-in', skipped, () => {
  it('refuses bytes that came before TLS, however they are cut', async () => {
    const { login } = await certified((tls) => throughGateway(uri, { tls }));
    const startup = packet(protocol3, 'user\0ada\0database\0shop\0\0');
    assert.match(await answerTo(login.port, Buffer.concat([tlsRequest, startup])), /sent more before/);
    assert.match(await answerTo(login.port, startup), /encrypted connections only/);
    assert.match(await answerTo(login.port, gssRequest, Buffer.concat([tlsRequest, startup])), /^N.*sent more/s);
  });

  it('counts a client that stops in the handshake of TLS among the 128 of its address that may log in', async () => {
    const { login } = await certified((tls) => throughGateway(uri, { tls }));
    const answers = Array.from({ length: 130 }, async () => {
      const socket = connect(login.port, '127.0.0.1');
      socket.write(tlsRequest);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return { socket, answer: answer.toString('latin1') };
    });
    const all = await Promise.all(answers);
    assert.equal(all.filter(({ answer }) => answer === 'S').length, 128);
    assert.equal(all.filter(({ answer }) => answer.includes('too many clients log in')).length, 2);
    for (const { socket } of all) socket.destroy();
  });

  it('answers what is malformed with an error or the end, and asks for encryption end', async () => {
    const { login } = await throughGateway(uri);
    assert.match(await answerTo(login.port, gssRequest, tlsRequest, gssRequest, tlsRequest), /again and again/);
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

describe('a session of PostgreSQL through the gateway', skipped, () => {
  it('is refused with the name of the setting that the server does not take, and without its password', async () => {
    const { connect: open } = await throughGateway(uri);
    const refused: Record<string, [options: string, code: string]> = {
      timezone: ['-c timezone=Mars/Phobos', '22023'],
      no_such: ['-c geqo=off --no-such=1', '42704'],
      wal_level: ['-c wal_level=minimal', '55P02'],
      options: ['nonsense', '42601'],
    };
    for (const [setting, [options, code]] of Object.entries(refused)) {
      const failure = await failureOf(open({ options }));
      assert.match(failure.message, new RegExp(`^the database refuses the setting ${setting} that the client sends`));
      assert.equal(failure.code, code);
      assert.ok(!failure.message.includes(new URL(uri).password));
    }
    const elsewhere = await throughGateway(`${uri}_timezone`);
    const failure = await failureOf(elsewhere.connect({ options: '-c timezone=UTC' }));
    assert.match(failure.message, /^the data source cannot be reached: database "\w+" does not exist/);
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
});
