import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { succeed } from './collect.ts';

/** Hours that some of these zones skip or repeat, and zones with minutes. */
const instants = [
  '2026-03-29 01:30:00.123456',
  '2026-11-01 06:30:00',
  '1999-12-31 23:59:59.999999',
  '2011-12-30 12:00:00',
];
const expected = [
  '2026-03-29T01:30:00.123',
  '2026-11-01T06:30:00.000',
  '1999-12-31T23:59:59.999',
  '2011-12-30T12:00:00.000',
];
const processZones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Europe/Vienna'];

/** Runs something in each zone that this process may be in. */
async function inEachZone(work: (zone: string) => Promise<void>): Promise<void> {
  const before = process.env['TZ'];
  const offsets = new Set<number>();
  try {
    for (const zone of processZones) {
      process.env['TZ'] = zone;
      offsets.add(new Date(0).getTimezoneOffset());
      await work(zone);
    }
    assert.equal(offsets.size, processZones.length, 'the process does not change its zone');
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

describe('a time is the same text', () => {
  it('whatever the zones of PostgreSQL and of this process', requires('postgresql'), async (test) => {
    const server = await startPostgres();
    test.after(() => server.stop());
    const admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
    await admin.query('create table times (id serial, instant timestamptz, wall timestamp)');
    for (const text of instants) await admin.query(`insert into times (instant, wall) values ('${text}Z', '${text}')`);
    const rows = expected.map((text) => [`${text}Z`, text]);
    for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Apia', '<-11:11>+11:11']) {
      await admin.query(`alter role rolecall set timezone = '${zone}'`);
      await inEachZone(async (own) => {
        const [found] = await succeed(server.uri, 'select instant, wall from times order by id');
        assert.deepEqual(found?.rows, rows, `server in ${zone}, process in ${own}`);
      });
    }
    await admin.end();
  });

  it('whatever the zones of MariaDB and of this process', requires('mariadb'), async (test) => {
    const server = await startMariadb();
    test.after(() => server.stop());
    const { host, port, user, password } = server;
    const admin = await createConnection({ host, port, user, password, database: 'rolecall' });
    await admin.query("SET time_zone = '+00:00'");
    await admin.query('CREATE TABLE times (id serial, instant timestamp(6) NULL, wall datetime(6))');
    for (const text of instants) await admin.query(`INSERT INTO times (instant, wall) VALUES ('${text}', '${text}')`);
    const rows = expected.map((text) => [`${text}Z`, text]);
    for (const zone of ['+00:00', '+05:45', '-11:11', '+13:00', 'SYSTEM']) {
      await admin.query(`SET GLOBAL time_zone = '${zone}'`);
      await inEachZone(async (own) => {
        const [found] = await succeed(server.uri, 'SELECT instant, wall FROM times ORDER BY id');
        assert.deepEqual(found?.rows, rows, `server in ${zone}, process in ${own}`);
      });
    }
    await admin.end();
  });
});
