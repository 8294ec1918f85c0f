import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { until } from '../../person-api/in-editor.ts';
import { makers } from '../../support/make.ts';
import { signedIn } from '../../support/person.ts';
import type { AuditEntry } from '../through-gateway.ts';
import { open, type ThroughGateway, throughGateway } from './through-gateway.ts';

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

/** What a client of mysql2 is told. */
interface Told {
  readonly message: string;
  readonly errno?: number;
}

const failureOf = (asked: Promise<unknown>): Promise<Told> =>
  asked.then(
    () => assert.fail('it went through'),
    (error: unknown) => error as Told,
  );

/** Runs a statement that does not end by itself, and lets something end its session. */
async function endOf(ada: ThroughGateway, take: () => Promise<unknown>): Promise<Told & { goneAt: number }> {
  const client = await ada.connect();
  const failed = failureOf(client.query('select sleep(1000)'));
  await until(async () => (await running()) === 1);
  await take();
  const goneAt = await until(async () => (await running()) === 0);
  const { message, errno } = await failed;
  await until(async () => (await connected()) === 0);
  return { message, ...(errno === undefined ? {} : { errno }), goneAt };
}

function entriesOf({ service }: ThroughGateway): Promise<AuditEntry[]> {
  return service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
}

describe('a session of MySQL through the gateway', skipped, () => {
  it('ends with the permission, neither early nor a second late, and says so', async () => {
    const ada = await throughGateway(uri);
    await ada.service.ok('DELETE', `/role/${ada.role}/person/${ada.person.id}`);
    const given = await makers(ada.service).permission(ada.source.id, ada.person.id, { duration: '3' });
    const { message, errno, goneAt } = await endOf(ada, () => Promise.resolve());
    const late = goneAt - Date.parse(given.expiresAt);
    assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
    assert.equal(errno, 1927);
    assert.match(message, /^your access to source\d+ ended at .*Z with the permission/);
  });

  const endings: Record<string, (ada: ThroughGateway) => Promise<unknown>> = {
    'the person is locked': ({ service, person }) => service.ok('PUT', `/person/${person.id}/lock`),
    'the membership is removed': ({ service, role, person }) =>
      service.ok('DELETE', `/role/${role}/person/${person.id}`),
    'the data source is deleted': ({ service, source }) => service.ok('DELETE', `/data-source/${source.id}`),
    'the data source is changed': ({ service, source }) =>
      service.ok('POST', `/data-source/${source.id}`, {
        form: { name: source.name, alias: source.alias ?? '', configUri: `${uri}?charset=latin1` },
      }),
    'the password is ended': ({ session, passwordId }) => session.call('DELETE', `/gateway-password/${passwordId}`),
    'the sign-in that made the password is ended': ({ session }) => session.call('POST', '/sign-out', { json: {} }),
  };
  for (const [what, take] of Object.entries(endings)) {
    it(`ends within a second when ${what}, with its statement`, async () => {
      const ada = await throughGateway(uri);
      let at = 0;
      const { errno, goneAt } = await endOf(ada, async () => {
        await take(ada);
        at = Date.now();
      });
      assert.ok(goneAt - at < 1000, `${goneAt - at} ms later`);
      assert.equal(errno, 1927);
      if (!what.includes('changed')) await assert.rejects(ada.connect(), 'it lets no one in again');
    });
  }

  it('ends when it is idle, too', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect();
    const told = new Promise<Error>((resolve) => client.once('error', resolve));
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    assert.match((await told).message, /your account is locked/);
    await until(async () => (await connected()) === 0);
  });

  it('stops its statement when the client is gone, and leaves no connection', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect();
    client.query('select sleep(1000)').catch(() => undefined);
    await until(async () => (await running()) === 1);
    client.destroy();
    await until(async () => (await connected()) === 0);
  });

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
    assert.equal((await failureOf(stranger.query(`kill query ${one.threadId}`))).errno, 1094);
    assert.equal(await running(), 1);
    await other.query(`KILL QUERY ${one.threadId}`);
    assert.equal((await interrupted).errno, 1317);
    assert.deepEqual((await one.query('select 1 as a'))[0], [{ a: 1 }], 'the session goes on');
    const ended = failureOf(one.query('select sleep(1000)'));
    await until(async () => (await running()) === 1);
    await other.query(`kill ${one.threadId}`);
    await ended;
    assert.equal((await failureOf(other.query(`kill ${one.threadId}`))).errno, 1094);
    await other.end();
    await stranger.end();
    await until(async () => (await connected()) === 0);
  });

  it('ends in order with the service: at rest at once, the others at the end of the grace period', async () => {
    const ada = await throughGateway(uri);
    const [idle, busy] = [await ada.connect(), await ada.connect()];
    const ended = new Promise<Error>((resolve) => idle.once('error', resolve));
    const slow = busy.query("select sleep(0.5) as a, 'sleep(1000)'");
    await until(async () => (await running()) === 1);
    const closing = ada.service.close(0, 2000);
    assert.match((await ended).message, /shutting down/);
    assert.deepEqual(((await slow)[0] as { a: number }[])[0]?.a, 0);
    await closing;
    await until(async () => (await connected()) === 0);
  });

  it('is in the audit trail from its beginning to its end, with who, from where and why', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ connectAttributes: { program_name: 'gateway-test' } });
    await client.query('select 42');
    await client.end();
    await until(async () => (await entriesOf(ada)).some(({ changes }) => changes[0]?.action === 'ended'));
    const own = (await entriesOf(ada)).filter(({ operation }) => operation === 'gateway');
    assert.ok(own.every(({ actor }) => actor.type === 'person' && actor.id === ada.person.id));
    const changes = own.map(({ changes: [change] }) => change);
    assert.deepEqual(
      changes.map((change) => change?.action),
      ['created', 'statements run', 'ended'],
    );
    const [begun, , ended] = changes.map((change) => change?.after ?? {});
    assert.equal(begun?.['address'], '127.0.0.1');
    assert.equal(begun['client'], 'gateway-test');
    assert.equal(ended?.['reason'], 'the client left');
  });
});
