import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import pg from 'pg';
import { query, terminate } from '../../../server/databases/postgresql/requests.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { until } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { type AuditEntry, type ThroughGateway, throughGateway } from './through-gateway.ts';

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
const connected = async () => (await admin.query(marked)).rowCount ?? 0;

/** How a session was ended: what its client is told, and when its statement is gone from the server. */
interface Ended {
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly goneAt: number;
}

/** Runs a statement that does not end by itself, and lets something end its session. */
async function endOf(
  ada: ThroughGateway,
  take: () => Promise<unknown>,
  endless = 'select pg_sleep(1000)',
): Promise<Ended> {
  const client = await ada.connect({ application_name: 'gateway-test' });
  const failed = client.query(endless).then(
    () => assert.fail('it went through'),
    (error: unknown) => error as pg.DatabaseError,
  );
  await until(async () => (await running()) === 1);
  await take();
  const goneAt = await until(async () => (await running()) === 0);
  const { message, code } = await failed;
  await until(async () => (await connected()) === 0);
  return { message, code, goneAt };
}

function entriesOf({ service }: ThroughGateway): Promise<AuditEntry[]> {
  return service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
}

describe('a session through the gateway', skipped, () => {
  it('ends with the permission, neither early nor a second late, and says so', async () => {
    const ada = await throughGateway(uri);
    await ada.service.ok('DELETE', `/role/${ada.role}/person/${ada.person.id}`);
    const given = await makers(ada.service).permission(ada.source.id, ada.person.id, { duration: '3' });
    const { message, code, goneAt } = await endOf(ada, () => Promise.resolve());
    const late = goneAt - Date.parse(given.expiresAt);
    assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
    assert.equal(code, '57P01');
    assert.match(message ?? '', /^your access to source\d+ ended at .*Z with the permission/);
  });

  const endings: Record<string, (ada: ThroughGateway) => Promise<unknown>> = {
    'the person is locked': ({ service, person }) => service.ok('PUT', `/person/${person.id}/lock`),
    'the membership is removed': ({ service, role, person }) =>
      service.ok('DELETE', `/role/${role}/person/${person.id}`),
    'the data source is deleted': ({ service, source }) => service.ok('DELETE', `/data-source/${source.id}`),
    'the data source is changed': ({ service, source }) =>
      service.ok('POST', `/data-source/${source.id}`, {
        form: { name: source.name, alias: source.alias ?? '', configUri: `${uri}?application_name=moved` },
      }),
    'the password is ended': ({ session, passwordId }) => session.call('DELETE', `/gateway-password/${passwordId}`),
    'the person ends it': async ({ session }) => {
      const [one] = await session.ok('listMyGatewaySessions', 'GET', '/gateway-session');
      await session.call('DELETE', `/gateway-session/${one?.id}`);
    },
    'an administrator ends it': async ({ service, person }) => {
      const { sessions } = await service.ok<AnswerOf<'listGatewaySessions'>>('GET', '/gateway-session');
      const [one] = sessions.filter((session) => session.person.id === person.id);
      await service.ok('DELETE', `/gateway-session/${one?.id}`);
    },
    'the sign-in that made the password is ended': ({ session }) => session.call('POST', '/sign-out', { json: {} }),
  };
  for (const [what, take] of Object.entries(endings)) {
    it(`ends within a second when ${what}, with its statement`, async () => {
      const ada = await throughGateway(uri);
      let at = 0;
      const { code, goneAt } = await endOf(ada, async () => {
        await take(ada);
        at = Date.now();
      });
      assert.ok(goneAt - at < 1000, `${goneAt - at} ms later`);
      assert.equal(code, '57P01');
      if (!/changed|ends it/.test(what)) await assert.rejects(ada.connect(), 'it lets no one in again');
    });
  }

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

  it('ends when it is idle, too', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'gateway-test' });
    const told = new Promise<Error>((resolve) => client.once('error', resolve));
    await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
    assert.match((await told).message, /your account is locked/);
    await until(async () => (await connected()) === 0);
  });

  it('ends a statement that ignores requests to cancel', async () => {
    const ada = await throughGateway(uri);
    // Nor does the server notice by itself that the connection is closed.
    const stubborn = `set client_connection_check_interval = 0; do $$ begin loop begin perform pg_sleep(1000); exception when query_canceled then null; end; end loop; end $$`;
    let at = 0;
    const { code, goneAt } = await endOf(
      ada,
      async () => {
        await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
        at = Date.now();
      },
      stubborn,
    );
    assert.ok(goneAt - at < 1000, `${goneAt - at} ms later`);
    assert.equal(code, '57P01');
  });

  it('stops its statement when the client is gone, and leaves no connection', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'gateway-test' });
    client.query('select pg_sleep(1000)').catch(() => undefined);
    await until(async () => (await running()) === 1);
    client.connection.stream.destroy();
    await until(async () => (await connected()) === 0);
  });

  it('is cancelled by its own key, and by no other', async () => {
    const ada = await throughGateway(uri);
    const [one, other] = [await ada.connect({ application_name: 'gateway-test' }), await ada.connect()];
    const failed = one.query('select pg_sleep(1000)').then(
      () => undefined,
      (error: unknown) => error as pg.DatabaseError,
    );
    await until(async () => (await running()) === 1);
    const { processID, secretKey } = one as unknown as Record<'processID' | 'secretKey', number>;
    const cancel = async (key: number): Promise<void> => {
      const packet = Buffer.alloc(16);
      packet.writeInt32BE(16);
      packet.writeInt32BE(80_877_102, 4);
      packet.writeInt32BE(processID, 8);
      packet.writeInt32BE(key, 12);
      const socket = connect(ada.login.port, '127.0.0.1');
      socket.end(packet);
      await new Promise((resolve) => socket.once('close', resolve).resume());
    };
    await cancel(secretKey ^ 1);
    await sleep(300);
    assert.equal(await running(), 1);
    await cancel(secretKey);
    assert.equal((await failed)?.code, '57014');
    assert.deepEqual((await one.query('select 1 as a')).rows, [{ a: 1 }], 'the session goes on');
    await one.end();
    await other.end();
  });

  it('ends in order with the service: at rest at once, the others at the end of the grace period', async () => {
    const ada = await throughGateway(uri);
    const [idle, busy] = [await ada.connect(), await ada.connect({ application_name: 'gateway-test' })];
    const ended = new Promise<Error>((resolve) => idle.once('error', resolve));
    const slow = busy.query('select pg_sleep(0.5) is null as a');
    await until(async () => (await running()) === 1);
    const closing = ada.service.close(0, 2000);
    assert.match((await ended).message, /shutting down/);
    assert.deepEqual((await slow).rows, [{ a: false }]);
    await closing;
    await until(async () => (await connected()) === 0);
  });

  it('is in the audit trail with the statement that a client sent as it left', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect();
    client.connection.stream.write(Buffer.concat([query('select 777'), terminate]));
    await until(async () => (await entriesOf(ada)).some(({ changes }) => changes[0]?.action === 'ended'));
    assert.match(JSON.stringify(await entriesOf(ada)), /"text":"select 777","runs":1/);
  });

  it('is in the audit trail from its beginning to its end, with who, from where and why', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'gateway-test' });
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
