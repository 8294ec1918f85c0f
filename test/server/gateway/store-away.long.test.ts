/** Over the PostgreSQL store only: the embedded one cannot be away. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { until } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { newPostgresStore } from '../support/stores.ts';
import { type AuditEntry, open, throughGateway } from './through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres() : undefined;
const admin = new pg.Client({ connectionString: server?.uri ?? '' });
if (server !== undefined) await admin.connect();
after(async () => {
  await admin.end();
  await server?.stop();
});

/** The gateway of a service whose store is reached through a relay. */
async function withRelay() {
  const store = await newPostgresStore();
  const url = new URL(store.databaseUrl);
  const relay = await startRelay(Number(url.port));
  after(() => relay.stop());
  url.port = String(relay.port);
  return { relay, ada: await throughGateway(server?.uri ?? '', { ...store, databaseUrl: url.href }) };
}

const { relay, ada } = skipped.skip === false ? await withRelay() : ({} as Awaited<ReturnType<typeof withRelay>>);

/** How often the trail says that the statements with this text ran. */
async function audited(text: string): Promise<number> {
  const entries = await ada.service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
  const told = entries.flatMap(
    ({ changes }) => (changes[0]?.after?.['statements'] ?? []) as { digest: string; text?: string; runs: number }[],
  );
  const digests = new Set(told.filter((one) => one.text === text).map(({ digest }) => digest));
  return told.filter(({ digest }) => digests.has(digest)).reduce((sum, { runs }) => sum + runs, 0);
}

describe('the gateway, while its store is away', skipped, () => {
  it('lets no one in, goes on with open sessions until their known end, and passes nothing unaudited', async () => {
    await admin.query('create table t (i int)');
    const writing = await ada.connect();
    const insert = 'insert into t values (1)';
    await writing.query(insert);
    await until(async () => (await audited(insert)) === 1);
    const make = makers(ada.service);
    const short = await make.dataSource({ configUri: server?.uri ?? '' });
    const given = await make.permission(short.id, ada.person.id, { duration: '10' });
    const made = await ada.session.ok('createGatewayPassword', 'POST', `/data-source/${short.id}/gateway-password`, {
      json: {},
    });
    const ending = await open({ ...ada.login, database: made.database, password: made.password });
    const { connection } = ending;
    const rows = { count: 0 };
    connection.on('dataRow', () => {
      rows.count += 1;
    });
    const ended = ending.query("select pg_sleep(0.05), repeat('x', 10000) from generate_series(1, 100000)").then(
      () => assert.fail('it went through'),
      (error: unknown) => ({ error: error as pg.DatabaseError, at: Date.now() }),
    );
    await until(() => rows.count > 0);

    await relay.down(true);
    const before = rows.count;
    await until(() => rows.count > before);
    await assert.rejects(ada.connect(), { code: '57P03' });
    const ran = async () => Number((await admin.query<{ n: string }>('select count(*) as n from t')).rows[0]?.n);
    const state = { sent: 1, answered: 1, isOver: false };
    const inserting = (async () => {
      while (!state.isOver) {
        state.sent += 1;
        await writing.query(insert);
        state.answered += 1;
        await sleep(20);
      }
    })();
    // What is sent now waits: it is not in the trail yet.
    await until(async () => {
      const { answered } = state;
      await sleep(1000);
      return answered === state.answered;
    });
    assert.equal(await ran(), state.answered, 'the last one has not reached the database');
    assert.equal(state.sent, state.answered + 1);

    const { error, at } = await ended;
    assert.equal(error.code, '57P01');
    const late = at - Date.parse(given.expiresAt);
    assert.ok(late >= 0 && late < 1500, `${late} ms after the end`);
    await assert.rejects(ada.connect(), { code: '57P03' });

    await relay.down(false);
    state.isOver = true;
    await inserting;
    await until(async () => (await audited(insert)) === state.sent);
    assert.equal(await ran(), state.sent);
    await writing.end();
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
