import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { until } from '../../person-api/in-editor.ts';
import { makers } from '../../support/make.ts';
import { signedIn } from '../../support/person.ts';
import { failureOf } from '../protocols.ts';
import { unprobed } from '../through-gateway.ts';
import { open, streamOf, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server = skipped.skip === false ? await startMariadb() : undefined;
const uri = server?.uri ?? '';
const admin = server === undefined ? undefined : await mysql.createConnection({ uri: server.uri });
after(async () => {
  await admin?.end();
  await server?.stop();
});

/** How many other connections of the account there are, and how many of them run a statement. */
async function connections(): Promise<{ all: number; running: number }> {
  const sql = `select count(*) as al, coalesce(sum(info like '%sleep(1000)%'), 0) as running
    from information_schema.processlist where id <> connection_id() and user = 'rolecall'`;
  const [rows] = (await admin?.query<mysql.RowDataPacket[]>(sql)) ?? [[]];
  return { all: Number(rows[0]?.['al']), running: Number(rows[0]?.['running']) };
}
const running = async (): Promise<number> => (await connections()).running;
const connected = async (): Promise<number> => (await connections()).all;

describe('a session of MySQL through the gateway', skipped, () => {
  it('is cancelled by the id that its client knows, by its own person and by no other', async () => {
    const ada = await throughGateway(uri);
    const make = makers(ada.service);
    const ben = await make.person();
    await ada.service.ok('PUT', `/role/${ada.role}/person/${ben.id}`);
    const session = await signedIn(ada.service, ben.id, { kind: 'command_line' });
    const path = `/data-source/${ada.source.id}/gateway-password`;
    const { user, password } = await session.ok('createGatewayPassword', 'POST', path, { json: {} });
    const [one, other, stranger] = [
      await ada.connect(),
      await ada.connect(),
      await open({ ...ada.login, user, password }),
    ];
    const interrupted = failureOf(one.query('select sleep(1000), 1 from seq_1_to_9'));
    await until(async () => (await running()) === 1);
    const attempts = [
      () => stranger.query(`kill query ${one.threadId}`),
      () => stranger.query(`/* mine */ kill (${one.threadId})`),
      () => stranger.execute('kill ?', [one.threadId]),
    ];
    for (const attempt of attempts) assert.equal((await failureOf(attempt())).code, 1094);
    assert.equal(await running(), 1);
    await other.query(`KILL QUERY ${one.threadId}`);
    assert.equal((await interrupted).code, 1317);
    assert.deepEqual((await one.query('select 1 as a'))[0], [{ a: 1 }], 'the session goes on');
    const ended = failureOf(one.query('select sleep(1000)'));
    await until(async () => (await running()) === 1);
    await other.query(`kill ${one.threadId}`);
    await ended;
    assert.equal((await failureOf(other.query(`kill ${one.threadId}`))).code, 1094);
    await other.end();
    await stranger.end();
    await until(async () => (await connected()) === 0);
  });

  it('is cancelled however a client writes that, as one of several statements and as a parameter too', async () => {
    const ada = await throughGateway(uri);
    const [one, other] = [await ada.connect(), await ada.connect({ multipleStatements: true })];
    const id = one.threadId;
    const [rows] = await one.query<mysql.RowDataPacket[]>('select connection_id() as id');
    const onServer = Number(rows[0]?.['id']);
    assert.notEqual(id, onServer);
    const ways: (() => Promise<unknown>)[] = [
      () => other.query(`/* cancel */ kill query ${id}`),
      () => other.query(`KILL QUERY (${id})`),
      () => other.query(`select 1; kill hard query ${id}; select 2`),
      () => other.query(`/*!50000 KILL */ SOFT QUERY ${id} -- done`),
      () => other.query(`kill query '${id}'`),
      () => other.query(`begin not atomic kill query ${id}; end`),
      () => other.query(`prepare k from 'kill query ${id}'; execute k`),
      () => other.execute(`kill query ${id}`),
      () => other.execute('kill query ?', [id]),
      () => other.execute('kill query ?', [String(id)]),
      () => other.query('kill query ?', [id]),
      () => other.query(`kill query ${onServer}`),
    ];
    for (const way of ways) {
      const interrupted = failureOf(one.query('select sleep(1000), 1 from seq_1_to_9'));
      await until(async () => (await running()) === 1);
      await way();
      assert.equal((await interrupted).code, 1317, String(way));
    }
    const [[results]] = (await Promise.all([
      other.query(`select 1 as a; kill query ${onServer}; select 2 as a`),
    ])) as unknown as [[unknown[]]];
    assert.equal(results.length, 3, 'the statements behind it run');
    // COM_PROCESS_KILL, as PyMySQL sends it.
    const ended = failureOf(one.query('select sleep(1000)'));
    await until(async () => (await running()) === 1);
    const command = Buffer.from([5, 0, 0, 0, 0x0c, 0, 0, 0, 0]);
    command.writeUInt32LE(id, 5);
    streamOf(other).write(command);
    await ended;
    other.destroy();
    await until(async () => (await connected()) === 0);
  });

  it('ends within a second although the server lets no one else in', async () => {
    await admin?.query("create user crowded@'%' identified by 'Secret-1' with max_user_connections 8");
    await admin?.query("grant all on rolecall.* to crowded@'%'");
    const ada = await throughGateway(uri.replace(/\/\/[^@]+@/, '//crowded:Secret-1@'));
    const ofCrowded = async (where: string): Promise<number> => {
      const sql = `select count(*) as n from information_schema.processlist where user = 'crowded' and ${where}`;
      const [rows] = (await admin?.query<mysql.RowDataPacket[]>(sql)) ?? [[]];
      return Number(rows[0]?.['n']);
    };
    const clients = [await ada.connect(), await ada.connect(), await ada.connect(), await ada.connect()];
    await until(async () => (await ofCrowded('true')) === 5);
    await until(async () => (await unprobed(server?.port ?? 0)) === 0);
    while ((await ofCrowded('true')) < 8) clients.push(await ada.connect());
    await assert.rejects(ada.connect(), /max_user_connections/);
    const failures = clients.map((client) => failureOf(client.query('select sleep(1000)')));
    await until(async () => (await ofCrowded("info like 'select sleep%'")) === clients.length);
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    for (const { message } of await Promise.all(failures)) assert.match(message, /your account is locked/);
    await until(async () => (await ofCrowded('true')) === 0);
  });
});
