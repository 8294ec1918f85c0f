import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../support/databases/server.ts';
import { type Driver, type DriverLogin, runDriver } from '../../support/drivers/drivers.ts';
import { until } from '../person-api/in-editor.ts';
import { type AtGateway, type AuditEntry, atGateway, logsStatements } from './through-gateway.ts';

/** A server that counts the statements of its clients itself. */
interface Witness {
  readonly ada: AtGateway;
  readonly direct: DriverLogin;
  readonly through: DriverLogin;
  /** How many statements the server has logged since the last call. */
  readonly logged: () => Promise<number>;
}

/** What is different each time, with the gateway and without. */
const random = /(?<="TableOID":)\d+|(?<=pg_temp_)\d+|(?<=\(conn=)\d+/g;

/** How deep in the statement it was when a cancel request reached it. */
const place = /(SQL statement \W{1,3}SELECT pg_sleep\(60\)\W+n?)?PL\/pgSQL function inline_code_block line \d+ at \w+/g;

async function seenBy(driver: Driver, login: DriverLogin): Promise<string[]> {
  const lines = await runDriver(driver, login);
  return lines.join('\n').replaceAll(place, 'its place').replaceAll(random, 'N').split('\n');
}

/** How many runs of statements the audit trail has, once all sessions have ended. */
async function audited({ service }: AtGateway): Promise<number> {
  const counts = { created: 0, ended: 0, runs: 0 };
  await until(async () => {
    Object.assign(counts, { created: 0, ended: 0, runs: 0 });
    const entries = await service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
    for (const { action, after } of entries.flatMap(({ operation, changes }) =>
      operation === 'gateway' ? changes : [],
    )) {
      if (action === 'created' || action === 'ended') counts[action] += 1;
      for (const { runs } of (after?.['statements'] ?? []) as { runs: number }[]) counts.runs += runs;
    }
    return counts.created === counts.ended;
  });
  return counts.runs;
}

/** @param witness undefined where the tests are skipped */
function testDrivers(drivers: readonly Driver[], witness: Witness | undefined): void {
  for (const driver of drivers) {
    it(`sees with ${driver} exactly what it sees without, and the audit trail has what the server logged`, async () => {
      const { ada, direct, through, logged } = witness ?? assert.fail('there is no server');
      const wanted = await seenBy(driver, direct);
      assert.ok(wanted.length > 30, wanted.join('\n'));
      const before = await audited(ada);
      await logged();
      assert.deepEqual(await seenBy(driver, through), wanted);
      const runs = (await audited(ada)) - before;
      assert.ok(runs > 20, `${runs} statements`);
      assert.equal(runs, await logged());
    });
  }
}

function loginOf({ host, port, user, password }: DatabaseServer): DriverLogin {
  return { host, port, user, password, database: 'rolecall' };
}

async function startPostgresql(): Promise<Witness> {
  const server = await startPostgres(logsStatements);
  const admin = new pg.Client({ connectionString: server.uri, application_name: 'witness' });
  await admin.connect();
  after(async () => {
    await admin.end();
    await server.stop();
  });
  const ada = await atGateway(server.uri, { gatewayPostgresql: { host: '127.0.0.1', port: 0 } });
  const counted = { marks: 0, statements: 0 };
  const logged = async (): Promise<number> => {
    // The server's log has its lines in their order, a moment later.
    const mark = `select 'mark ${(counted.marks += 1)}'`;
    await admin.query(mark);
    let log = '';
    await until(async () => {
      const { rows } = await admin.query<{ log: string }>('select pg_read_file(pg_current_logfile()) as log');
      log = rows[0]?.log ?? '';
      return log.includes(mark);
    });
    const before = counted.statements;
    counted.statements = log.match(/^(?!witness\|)[^|\n]*\|LOG: {2}(statement|execute|fastpath)/gm)?.length ?? 0;
    return counted.statements - before;
  };
  return { ada, direct: loginOf(server), through: ada.login, logged };
}

async function startMysql(): Promise<Witness> {
  const server = await startMariadb(['--general-log', '--log-output=TABLE', '--max-allowed-packet=64M']);
  const admin = await mysql.createConnection({ uri: server.uri });
  after(async () => {
    await admin.end();
    await server.stop();
  });
  const ada = await atGateway(server.uri, { gatewayMariadb: { host: '127.0.0.1', port: 0 } });
  const through = { ...ada.login, user: `${ada.login.user}@${ada.login.database}`, database: 'rolecall' };
  // Clients are greeted with the version that the last one found.
  await (await mysql.createConnection(through)).end();
  const logged = async (): Promise<number> => {
    // The gateway sends a KILL of its own, with an id that it does not fill up.
    const sql = `select count(*) as n from mysql.general_log where thread_id <> connection_id()
      and command_type in ('Query', 'Execute', 'Init DB', 'Field List')
      and cast(argument as binary) not regexp '^KILL CONNECTION [1-9]'`;
    const [rows] = await admin.query<mysql.RowDataPacket[]>(sql);
    // Statements of megabytes are in it: it would take longer and longer to read.
    await admin.query('truncate mysql.general_log');
    return Number(rows[0]?.['n']);
  };
  return { ada, direct: loginOf(server), through, logged };
}

const forPostgresql = requires('postgresql', 'drivers');
const postgresql = forPostgresql.skip === false ? await startPostgresql() : undefined;
describe('a client of PostgreSQL', forPostgresql, () => {
  testDrivers(['pgx', 'psycopg', 'asyncpg', 'pgjdbc'], postgresql);
});

const forMysql = requires('mariadb', 'drivers');
const mariadb = forMysql.skip === false ? await startMysql() : undefined;
describe('a client of MariaDB', forMysql, () => {
  testDrivers(['go-sql-driver', 'PyMySQL', 'Connector/J', 'MariaDB Connector/J'], mariadb);
});
