import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { cellOf, succeed } from '../collect.ts';

/** Column's definition, value, type as it is reported, format, text. */
const columns: [string, string, string, string, string | null][] = [
  ['tinyint', '-128', 'tinyint', 'integer', '-128'],
  ['boolean', 'true', 'tinyint', 'integer', '1'],
  ['smallint unsigned', '65535', 'smallint unsigned', 'integer', '65535'],
  ['mediumint', '-8388608', 'mediumint', 'integer', '-8388608'],
  ['int', '2147483647', 'int', 'integer', '2147483647'],
  ['bigint', '-9223372036854775808', 'bigint', 'integer', '-9223372036854775808'],
  ['bigint unsigned', '18446744073709551615', 'bigint unsigned', 'integer', '18446744073709551615'],
  ['bigint', '9007199254740993', 'bigint', 'integer', '9007199254740993'],
  [
    'decimal(65,30)',
    "'12345678901234567890.123456789012345678901234567890'",
    'decimal',
    'numeric',
    '12345678901234567890.123456789012345678901234567890',
  ],
  ['decimal(10,2)', '1.5', 'decimal', 'numeric', '1.50'],
  ['double', '0.1', 'double', 'numeric', '0.1'],
  ['double', '1.7976931348623157e308', 'double', 'numeric', `17976931348623157${'0'.repeat(292)}`],
  ['double', '1e-7', 'double', 'numeric', '0.0000001'],
  ['double', '0.1e0 + 0.2e0', 'double', 'numeric', '0.30000000000000004'],
  ['float', '0.1', 'float', 'numeric', '0.1'],
  ['float', '1e20', 'float', 'numeric', `1${'0'.repeat(20)}`],
  ['year', '2026', 'year', 'integer', '2026'],
  ['date', "'2026-02-28'", 'date', 'date', '2026-02-28'],
  ['date', "'9999-12-31'", 'date', 'date', '9999-12-31'],
  ['date', "'0000-00-00'", 'date', 'date', '0000-00-00'],
  ['date', "'2026-00-00'", 'date', 'date', '2026-00-00'],
  ['datetime', "'2026-11-21 15:24:09'", 'datetime', 'timestamp', '2026-11-21T15:24:09.000'],
  ['datetime(6)', "'2026-11-21 15:24:09.999999'", 'datetime', 'timestamp', '2026-11-21T15:24:09.999'],
  ['datetime(1)', "'2026-11-21 15:24:09.5'", 'datetime', 'timestamp', '2026-11-21T15:24:09.500'],
  ['datetime', "'0000-00-00 00:00:00'", 'datetime', 'timestamp', '0000-00-00T00:00:00.000'],
  ['timestamp(6)', 'from_unixtime(1795274649.123999)', 'timestamp', 'timestamptz', '2026-11-21T15:24:09.123Z'],
  ['timestamp', 'from_unixtime(1)', 'timestamp', 'timestamptz', '1970-01-01T00:00:01.000Z'],
  ['time(6)', "'-838:59:58.000001'", 'time', 'string', '-838:59:58.000001'],
  ['char(4)', "'ab'", 'char', 'string', 'ab'],
  ['varchar(20)', "'a\\\"b\\\\c\\n\\0ü😀'", 'varchar', 'string', 'a"b\\c\n\0ü😀'],
  ['varchar(20) character set latin1', "'ü'", 'varchar', 'string', 'ü'],
  ['text', "''", 'text', 'string', ''],
  ['longtext', "'null'", 'text', 'string', 'null'],
  ['binary(3)', "x'00ff'", 'binary', 'bytea', '00ff00'],
  ['varbinary(3)', "x'00ff10'", 'varbinary', 'bytea', '00ff10'],
  ['blob', "x''", 'blob', 'bytea', ''],
  ['bit(5)', "b'101'", 'bit', 'string', '00101'],
  ['bit(64)', '18446744073709551615', 'bit', 'string', '1'.repeat(64)],
  ["enum('a','b')", "'b'", 'enum', 'string', 'b'],
  ["set('a','b','c')", "'a,c'", 'set', 'string', 'a,c'],
  ['json', `'{"a": 1.10}'`, 'text', 'string', '{"a": 1.10}'],
  ['uuid', "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'", 'uuid', 'string', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['inet6', "'::1'", 'inet6', 'string', '::1'],
  ['point', 'point(1, 2)', 'geometry', 'bytea', '000000000101000000000000000000f03f0000000000000040'],
  ['int', 'null', 'int', 'integer', null],
  ['timestamp null', 'null', 'timestamp', 'timestamptz', null],
];

describe('values of MariaDB', requires('mariadb'), () => {
  let server: DatabaseServer;
  before(async () => {
    server = await startMariadb(['--default-time-zone=+05:45', '--sql-mode=', '--character-set-server=latin1']);
    await createTable();
  });
  after(() => server.stop());

  const createTable = async (): Promise<void> => {
    const { createConnection } = await import('mysql2/promise');
    const { host, port, user, password } = server;
    const admin = await createConnection({ host, port, user, password, database: 'rolecall' });
    const list = columns.map(([definition], index) => `c${index} ${definition}`).join(', ');
    await admin.query(`CREATE TABLE t (${list}) CHARACTER SET utf8mb4`);
    await admin.query('CREATE TABLE empty (a int)');
    await admin.end();
    await succeed(server.uri, `INSERT INTO t VALUES (${columns.map(([, value]) => value).join(', ')})`);
  };

  for (const [index, [definition, given, type, format, text]] of columns.entries()) {
    it(`${definition} ${given} is ${text?.slice(0, 40) ?? 'null'}`, async () => {
      const { value, column } = await cellOf(server.uri, `SELECT c${index} AS v FROM t`);
      assert.deepEqual({ ...column, value }, { ordinalPosition: 0, name: 'v', type, format, value: text });
    });
  }

  it('are the same in one row of all, and with another character set in the URI', async () => {
    for (const uri of [server.uri, `${server.uri}?charset=latin1`]) {
      const [result] = await succeed(uri, 'SELECT * FROM t');
      assert.deepEqual(result?.rows, [columns.map(([, , , , text]) => text)]);
    }
  });

  it('have columns of the same name, and no rows', async () => {
    const results = await succeed(server.uri, 'SELECT 1 AS a, 2 AS a, 3 AS `ü`', 'SELECT a FROM empty');
    assert.deepEqual(
      results.map(({ columns: all, rows }) => [all?.map(({ name }) => name), rows]),
      [
        [['a', 'a', 'ü'], [['1', '2', '3']]],
        [['a'], []],
      ],
    );
  });

  it('of a megabyte come whole', async () => {
    const [result] = await succeed(
      server.uri,
      "SELECT repeat(char(1), 1000000), repeat('\"', 300000), repeat(x'ab', 500000)",
    );
    const [controls, quotes] = result?.rows[0] ?? [];
    assert.equal(controls?.length, 2_000_000);
    assert.equal(quotes, '"'.repeat(300_000));
  });

  it('of every length come whole, wherever a packet ends', async () => {
    const [result] = await succeed(server.uri, "SELECT seq, repeat('ä', seq) FROM seq_1_to_1500");
    assert.deepEqual(
      result?.rows,
      Array.from({ length: 1500 }, (_, index) => [String(index + 1), 'ä'.repeat(index + 1)]),
    );
  });
});
