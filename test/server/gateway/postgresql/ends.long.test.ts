import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withData } from '../../../../server/data/open-data.ts';
import { newPassword, storePassword } from '../../../../server/gateway/passwords.ts';
import { query, terminate } from '../../../../server/protocols/postgresql/requests.ts';
import { cancelRequest, encryptionRequest } from '../../../../server/protocols/postgresql/startup.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { until } from '../../person-api/in-editor.ts';
import { makers } from '../../support/make.ts';
import { keyOf } from '../../support/wire.ts';
import { failureOf } from '../protocols.ts';
import { gatewayEntries, throughGateway, unprobed } from '../through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres() : undefined;
const admin = new pg.Client({ connectionString: server?.uri ?? '' });
if (server !== undefined) await admin.connect();
after(async () => {
  await admin.end();
  await server?.stop();
});

const uri = server?.uri ?? '';
const marked = "select pid from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'gateway-test'";
const running = async () => (await admin.query(`${marked} and state = 'active'`)).rowCount ?? 0;

/** Ignores requests to cancel. Nor does the server notice by itself that the connection is closed. */
const stubborn = `set client_connection_check_interval = 0; do $$ begin loop begin perform pg_sleep(1000); exception when query_canceled then null; end; end loop; end $$`;

describe('a session of PostgreSQL through the gateway', skipped, () => {
  it('is told once, in the last five minutes, when its access ends', async () => {
    const ada = await throughGateway(uri, { gatewayEndsSoonEveryMs: 20 });
    const client = await ada.connect();
    const told: (string | undefined)[] = [];
    client.on('notice', ({ message }) => told.push(message));
    await sleep(300);
    assert.equal(told.join(), '');
    const given = await makers(ada.service).permission(ada.source.id, ada.person.id, { duration: '290' });
    await ada.service.ok('DELETE', `/role/${ada.role}/person/${ada.person.id}`);
    await until(() => told.length > 0);
    await sleep(300);
    assert.equal(told.length, 1);
    const at = new Date(given.expiresAt).toISOString().replace(/\.\d+Z$/, 'Z');
    assert.ok(told[0]?.endsWith(`ends at ${at}`), told.join());
    assert.deepEqual((await client.query('select 1 as a')).rows, [{ a: 1 }]);
    await client.end();
  });

  it('ends a statement that ignores requests to cancel', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'gateway-test' });
    const failed = failureOf(client.query(stubborn));
    await until(async () => (await running()) === 1);
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    const at = Date.now();
    const goneAt = await until(async () => (await running()) === 0);
    assert.ok(goneAt - at < 1000, `${goneAt - at} ms later`);
    assert.equal((await failed).code, '57P01');
  });

  it('ends a statement that ignores requests to cancel although the server lets no one else in', async () => {
    await admin.query("create role crowded login password 'Secret-1' connection limit 8");
    const ada = await throughGateway(uri.replace(/\/\/[^@]+@/, '//crowded:Secret-1@'));
    const ofCrowded = async (where: string): Promise<number> =>
      (await admin.query(`select from pg_stat_activity where usename = 'crowded' and ${where}`)).rowCount ?? 0;
    const clients = [await ada.connect(), await ada.connect(), await ada.connect(), await ada.connect()];
    await until(async () => (await ofCrowded('true')) === 5);
    // The one of the test itself.
    await until(async () => (await unprobed(server?.port ?? 0)) === 1);
    while ((await ofCrowded('true')) < 8) clients.push(await ada.connect());
    assert.match((await failureOf(ada.connect())).message, /too many connections for role/);
    const failures = clients.map((client) => failureOf(client.query(stubborn)));
    await until(async () => (await ofCrowded("state = 'active'")) === clients.length);
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    for (const { message } of await Promise.all(failures)) assert.match(message, /your account is locked/);
    await until(async () => (await ofCrowded('true')) === 0);
  });

  it('is cancelled by its own key, and by no other', async () => {
    const ada = await throughGateway(uri);
    const [one, other] = [await ada.connect({ application_name: 'gateway-test' }), await ada.connect()];
    const failed = failureOf(one.query('select pg_sleep(1000)'));
    await until(async () => (await running()) === 1);
    const { processId, secret } = keyOf(one);
    const cancel = async (key: Buffer): Promise<void> => {
      const socket = connect(ada.login.port, '127.0.0.1');
      socket.end(cancelRequest.encode({ processId, secret: key }));
      await new Promise((resolve) => socket.once('close', resolve).resume());
    };
    await cancel(Buffer.from(secret.map((byte, at) => (at === 3 ? byte ^ 1 : byte))));
    await sleep(300);
    assert.equal(await running(), 1);
    await cancel(secret);
    assert.equal((await failed).code, '57014');
    assert.deepEqual((await one.query('select 1 as a')).rows, [{ a: 1 }], 'the session goes on');
    await one.end();
    await other.end();
  });

  it('goes on when its password has expired, and still ends with the sign-in that made it', async () => {
    const ada = await throughGateway(uri);
    const { service, person, source, session } = ada;
    const owner = { person: person.id, dataSource: source.id, session: session.session };
    const made = await newPassword();
    let expiresAt = 0;
    const [id, client] = await withData(service.store, async ({ store, seal }) => {
      const stored = await store.write([], (executor) => {
        const now = Date.now();
        expiresAt = now + 4000;
        return storePassword(executor, seal, owner, made, { now, expiresAt });
      });
      return [stored, await ada.connect({ password: made.password })];
    });
    const told: string[] = [];
    client.on('error', ({ message }) => told.push(message));
    await until(() => Date.now() > expiresAt + 100);
    await session.call('DELETE', `/gateway-password/${id}`);
    // Longer than the gateway takes to see it.
    await sleep(800);
    assert.deepEqual((await client.query('select 1 as a')).rows, [{ a: 1 }]);
    await session.call('POST', '/sign-out', { json: {} });
    await until(() => told.length > 0);
    assert.match(told.join(), /the sign-in that made it/);
  });

  it('does not begin any more once the gateway shuts down, also where its log-in has begun', async () => {
    const ada = await throughGateway(uri);
    const socket = connect(ada.login.port, '127.0.0.1', () => socket.write(encryptionRequest.encode('tls')));
    const chunks: Buffer[] = [];
    const closed = once(socket, 'close');
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await until(() => Buffer.concat(chunks).toString() === 'N');
    await ada.service.close(0, 200);
    await closed;
    assert.match(Buffer.concat(chunks).toString(), /57P01.*shutting down/);
  });

  it('is in the audit trail with the statement that a client sent as it left', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect();
    client.connection.stream.write(Buffer.concat([query.encode('select 777'), terminate]));
    await until(async () => (await gatewayEntries(ada)).some(({ changes }) => changes[0]?.action === 'ended'));
    const trail = JSON.stringify(await gatewayEntries(ada));
    // A slow one is shown before it is done, and its run is counted then.
    assert.match(trail, /"text":"select 777"/);
    assert.equal(trail.match(/"runs":1/g)?.length, 1, trail);
  });
});
