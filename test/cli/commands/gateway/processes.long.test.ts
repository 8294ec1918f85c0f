/** Over the PostgreSQL store only: the embedded one is served by one process. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import pg from 'pg';
import { until } from '../../../server/person-api/in-editor.ts';
import { valueOf } from '../../../server/support/metrics.ts';
import { startTestService } from '../../../server/support/service.ts';
import { newPostgresStore } from '../../../server/support/stores.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { asPerson } from '../query/as-person.ts';

const skipped = requires('postgresql');
const database = skipped.skip === false ? await startPostgres() : undefined;
after(() => database?.stop());

type PostgresStore = Awaited<ReturnType<typeof newPostgresStore>>;
type Page = AnswerOf<'listGatewaySessions'>;

/** A gateway in a process of its own, a service beside it, and a person who reaches the database through it. */
async function gatewayProcess(onStore?: PostgresStore) {
  const store = onStore ?? (await newPostgresStore());
  const env = { ...store.environment, ROLECALL_DATABASE_URL: store.databaseUrl };
  const args = ['gateway', '--gateway-postgresql', ':0', '--allow-network', '127.0.0.0/8', '--metrics-port', '0'];
  const { child, prints } = startCommand([...args, '--format', 'json'], { env });
  const { gatewayPorts, statusUrl } = JSON.parse(await prints(/}\s*.*}/s)) as {
    gatewayPorts: { postgresql: number };
    statusUrl: string;
  };
  const { postgresql: port } = gatewayPorts;
  const service = await startTestService({ ...store, gatewayAddress: { host: '127.0.0.1', port } });
  const ada = await asPerson(service, database?.uri ?? '');
  const { stdout } = await runCommand(['connect', ada.alias, '--print'], { env: ada.env });
  const uri = stdout.trim();
  const connect = async () => {
    const client = new pg.Client({ connectionString: uri, application_name: 'psql' });
    const failed = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    return { client, failed };
  };
  return { child, store, statusUrl, service, ada, uri, connect };
}

describe('a gateway in a process of its own', skipped, () => {
  it('has sessions that the service lists and ends, and that are gone when it is killed', async () => {
    const { child, statusUrl, service, ada: person, uri, connect } = await gatewayProcess();
    using ada = person;
    const list = async () => (await service.ok<Page>('GET', '/gateway-session')).sessions;
    const { failed } = await connect();
    const [one, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual([one?.person.id, one?.client, one?.address], [ada.person.id, 'psql', '127.0.0.1']);
    assert.match(one?.process ?? '', new RegExp(`/${child.pid}$`));
    await service.ok('DELETE', `/gateway-session/${one?.id}`);
    const begun = performance.now();
    assert.match((await failed).message, /an administrator ended this session/);
    const took = performance.now() - begun;
    assert.ok(took < 1000, `${took} ms`);
    await connect();
    assert.equal((await list()).length, 1);
    await assert.rejects(new pg.Client(uri.replace(/:[\w-]+@/, ':wrong@')).connect(), /password/);
    const page = await (await fetch(`${statusUrl}/metrics`)).text();
    const of = (series: string) => valueOf(page, `rolecall_gateway_${series}`) ?? NaN;
    assert.equal(of('sessions{protocol="postgresql"}'), 1);
    assert.equal(of('refused_total{protocol="postgresql",reason="password"}'), 1);
    assert.equal(of('ended_total{protocol="postgresql",reason="ended"}'), 1);
    assert.ok(of('bytes_total{protocol="postgresql",direction="sent"}') > 500);
    child.kill('SIGKILL');
    await until(async () => (await list()).length === 0);
  });

  it('takes the statements that run through it along when it is killed, within seconds', async () => {
    const { child, ada: person, connect } = await gatewayProcess();
    using _ = person;
    const [admin, locker] = [1, 2].map(() => new pg.Client({ connectionString: database?.uri ?? '' }));
    assert.ok(admin !== undefined && locker !== undefined);
    await Promise.all([admin.connect(), locker.connect()]);
    await locker.query('create table locked (i int)');
    await locker.query('begin; lock table locked');
    const statements = [
      'select pg_sleep(1000)',
      // It reads nothing from its connection, and sends nothing either.
      'select count(*) from (select generate_series(1, 1000000000000)) as busy',
      'select * from locked',
      "select repeat('x', 1000), pg_sleep(0.001) from generate_series(1, 1000000)",
    ];
    for (const statement of statements) {
      const { client } = await connect();
      // A session's settings are back at those of its beginning.
      await client.query('reset all');
      client.query(statement).catch(() => undefined);
    }
    const running = async () => {
      const text = 'select 1 from pg_stat_activity where query = any($1) and state = $2';
      return (await admin.query(text, [statements, 'active'])).rowCount ?? 0;
    };
    await until(async () => (await running()) === statements.length);
    child.kill('SIGKILL');
    await until(async () => (await running()) === 0);
    await Promise.all([admin.end(), locker.end()]);
  });

  it('takes along, within seconds, what its client has told the server not to give up when the connection is gone', async () => {
    const { child, store, ada: person, connect } = await gatewayProcess();
    const other = await gatewayProcess(store);
    using _ = person;
    using __ = other.ada;
    const admin = new pg.Client({ connectionString: database?.uri ?? '' });
    await admin.connect();
    const unwatched = "select set_config('client_connection_check_interval', '0', false)";
    const statements = [
      'select pg_sleep(600)',
      'do $$ begin loop begin perform pg_sleep(600); exception when query_canceled then null; end; end loop; end $$',
    ];
    for (const statement of statements) {
      const { client } = await connect();
      await client.query(unwatched);
      client.query(statement).catch(() => undefined);
    }
    // The same through a gateway that lives on.
    const { client: bystander } = await other.connect();
    await bystander.query(unwatched);
    bystander.query('select pg_sleep(601)').catch(() => undefined);
    const running = async (texts: readonly string[]) => {
      const text = "select 1 from pg_stat_activity where query = any($1) and state = 'active'";
      return (await admin.query(text, [texts])).rowCount ?? 0;
    };
    await until(async () => (await running(statements)) === statements.length);
    await until(async () => (await running(['select pg_sleep(601)'])) === 1);
    child.kill('SIGKILL');
    await until(async () => (await running(statements)) === 0);
    assert.equal(await running(['select pg_sleep(601)']), 1);
    other.child.kill('SIGKILL');
    await admin.end();
  });

  it('runs nothing that came while it stood still, if the access ended meanwhile', async () => {
    const { child, service, ada: person, connect } = await gatewayProcess();
    using ada = person;
    const admin = new pg.Client({ connectionString: database?.uri ?? '' });
    await admin.connect();
    await admin.query('create table arrived (i int)');
    const { client } = await connect();
    /** Sends a statement to the process while it stands still. */
    const meanwhile = async (value: number, change: () => Promise<unknown>) => {
      child.kill('SIGSTOP');
      await change();
      const answer = client.query('insert into arrived values ($1)', [value]).then(
        () => 'done',
        (error: unknown) => String(error),
      );
      await sleep(1000);
      child.kill('SIGCONT');
      return answer;
    };
    assert.equal(await meanwhile(1, () => Promise.resolve()), 'done');
    const refused = await meanwhile(2, () => service.ok('PUT', `/person/${ada.person.id}/lock`));
    assert.match(refused, /your account is locked/);
    assert.deepEqual((await admin.query('select i from arrived')).rows, [{ i: 1 }]);
    await admin.end();
    child.kill('SIGKILL');
  });

  it('lets clients of MariaDB in where the service says', requires('mariadb'), async (test) => {
    const server = await startMariadb();
    test.after(() => server.stop());
    const store = await newPostgresStore();
    const env = { ...store.environment, ROLECALL_DATABASE_URL: store.databaseUrl };
    const args = ['gateway', '--gateway-mysql', ':0', '--allow-network', '127.0.0.0/8', '--format', 'json'];
    const gateway = startCommand(args, { env });
    const { gatewayPorts } = JSON.parse(await gateway.prints(/}\s*.*}/s)) as { gatewayPorts: { mysql: number } };
    const gatewayMysqlAddress = { host: '127.0.0.1', port: gatewayPorts.mysql };
    const service = await startTestService({ ...store, gatewayMysqlAddress });
    using ada = await asPerson(service, server.uri);
    const command = ['connect', ada.alias, '--', '--batch', '--skip-column-names', '-e', 'select 6*7'];
    const { code, stdout, stderr } = await startCommand(command, { env: ada.env }).finished;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '42\n');
    gateway.child.kill('SIGKILL');
  });
});
