import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { cellOf, fail, succeed } from '../collect.ts';

/** Expression, type as PostgreSQL reports it, format, text. */
const values: [string, string, string, string | null][] = [
  ["'-32768'::int2", 'smallint', 'integer', '-32768'],
  ['2147483647', 'integer', 'integer', '2147483647'],
  ["'-9223372036854775808'::int8", 'bigint', 'integer', '-9223372036854775808'],
  ['9007199254740993', 'bigint', 'integer', '9007199254740993'],
  ['4294967295::oid', 'oid', 'integer', '4294967295'],
  ['1.50::numeric', 'numeric', 'numeric', '1.50'],
  ['1.5::numeric(10,2)', 'numeric(10,2)', 'numeric', '1.50'],
  [
    '-12345678901234567890.123456789012345678901234567890',
    'numeric',
    'numeric',
    '-12345678901234567890.123456789012345678901234567890',
  ],
  ['1e30::numeric', 'numeric', 'numeric', `1${'0'.repeat(30)}`],
  ["'NaN'::numeric", 'numeric', 'numeric', 'NaN'],
  ["'-Infinity'::numeric", 'numeric', 'numeric', '-Infinity'],
  ['0.1::float8', 'double precision', 'numeric', '0.1'],
  ['(0.1::float8 + 0.2)', 'double precision', 'numeric', '0.30000000000000004'],
  ['1e-7::float8', 'double precision', 'numeric', '0.0000001'],
  ['1.5e22::float8', 'double precision', 'numeric', '15000000000000000000000'],
  ["'1.7976931348623157e308'::float8", 'double precision', 'numeric', `17976931348623157${'0'.repeat(292)}`],
  ["'5e-324'::float8", 'double precision', 'numeric', `0.${'0'.repeat(323)}5`],
  ["'-0'::float8", 'double precision', 'numeric', '-0'],
  ["'NaN'::float8", 'double precision', 'numeric', 'NaN'],
  ["'Infinity'::float8", 'double precision', 'numeric', 'Infinity'],
  ['16777217::float4', 'real', 'numeric', '16777216'],
  ['0.1::float4', 'real', 'numeric', '0.1'],
  ['true', 'boolean', 'string', 'true'],
  ['false', 'boolean', 'string', 'false'],
  ["date '2026-02-28'", 'date', 'date', '2026-02-28'],
  ["date '0001-01-01'", 'date', 'date', '0001-01-01'],
  ["date '0001-12-31 BC'", 'date', 'date', '0000-12-31'],
  ["date '0044-03-15 BC'", 'date', 'date', '-000043-03-15'],
  ["date '4713-11-24 BC'", 'date', 'date', '-004712-11-24'],
  ["date '9999-12-31'", 'date', 'date', '9999-12-31'],
  ["date '10000-01-01'", 'date', 'date', '+010000-01-01'],
  ["date '5874897-12-31'", 'date', 'date', '+5874897-12-31'],
  ["date 'infinity'", 'date', 'date', 'infinity'],
  ["date '-infinity'", 'date', 'date', '-infinity'],
  ["timestamp '2026-11-21 15:24:09'", 'timestamp without time zone', 'timestamp', '2026-11-21T15:24:09.000'],
  ["timestamp '2026-11-21 15:24:09.123999'", 'timestamp without time zone', 'timestamp', '2026-11-21T15:24:09.123'],
  ["timestamp '1969-12-31 23:59:59.999999'", 'timestamp without time zone', 'timestamp', '1969-12-31T23:59:59.999'],
  ["timestamp '1800-01-01 00:00:00.000001'", 'timestamp without time zone', 'timestamp', '1800-01-01T00:00:00.000'],
  ["timestamp '1799-12-31 23:59:59.999999'", 'timestamp without time zone', 'timestamp', '1799-12-31T23:59:59.999'],
  ["timestamp '4713-11-24 00:00:00.9999 BC'", 'timestamp without time zone', 'timestamp', '-004712-11-24T00:00:00.999'],
  [
    "timestamp '294276-12-31 23:59:59.999999'",
    'timestamp without time zone',
    'timestamp',
    '+294276-12-31T23:59:59.999',
  ],
  ["timestamp(0) '2026-11-21 15:24:09.6'", 'timestamp(0) without time zone', 'timestamp', '2026-11-21T15:24:10.000'],
  ["timestamp '-infinity'", 'timestamp without time zone', 'timestamp', '-infinity'],
  [
    "timestamptz '2026-11-21 15:24:09.9999+05:30'",
    'timestamp with time zone',
    'timestamptz',
    '2026-11-21T09:54:09.999Z',
  ],
  [
    "timestamptz '2026-03-29 02:30:00 Europe/Vienna'",
    'timestamp with time zone',
    'timestamptz',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    "timestamptz '1883-01-01 12:00:00 America/New_York'",
    'timestamp with time zone',
    'timestamptz',
    '1883-01-01T16:56:02.000Z',
  ],
  ["timestamptz '0044-03-15 12:00Z BC'", 'timestamp with time zone', 'timestamptz', '-000043-03-15T12:00:00.000Z'],
  ["timestamptz '2000-02-29 24:00Z'", 'timestamp with time zone', 'timestamptz', '2000-03-01T00:00:00.000Z'],
  ["timestamptz 'infinity'", 'timestamp with time zone', 'timestamptz', 'infinity'],
  ["time '12:34:56.123456'", 'time without time zone', 'string', '12:34:56.123456'],
  ["timetz '12:34:56+02'", 'time with time zone', 'string', '12:34:56+02'],
  ["interval '1 year 2 days -3.5 seconds'", 'interval', 'string', '1 year 2 days -00:00:03.5'],
  ["'\\x00ff10'::bytea", 'bytea', 'bytea', '00ff10'],
  ["''::bytea", 'bytea', 'bytea', ''],
  ["'a'", 'text', 'string', 'a'],
  ["'ab'::varchar(20)", 'character varying(20)', 'string', 'ab'],
  ["'ab'::char(4)", 'character(4)', 'string', 'ab  '],
  [
    "E'tab\\t quote\" back\\\\slash \\x01\\x7f line\\n'",
    'text',
    'string',
    'tab\t quote" back\\slash \u0001\u007f line\n',
  ],
  ["'ü € 😀 \u2028'", 'text', 'string', 'ü € 😀 \u2028'],
  ["''", 'text', 'string', ''],
  ["'null'", 'text', 'string', 'null'],
  ['null::int', 'integer', 'integer', null],
  ['null::timestamptz', 'timestamp with time zone', 'timestamptz', null],
  ['\'{"a": 1.10}\'::json', 'json', 'string', '{"a": 1.10}'],
  ['\'{"b":1,"a":12345678901234567890}\'::jsonb', 'jsonb', 'string', '{"a": 12345678901234567890, "b": 1}'],
  ['array[1,null,3]', 'integer[]', 'string', '{1,NULL,3}'],
  ["array['a\"b', 'c,d']", 'text[]', 'string', '{"a\\"b","c,d"}'],
  ["array[timestamptz '2026-11-21 12:00+02']", 'timestamp with time zone[]', 'string', '{"2026-11-21 10:00:00+00"}'],
  ["'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid", 'uuid', 'string', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ["'1234.5'::money", 'money', 'string', '$1,234.50'],
  ["'b'::mood", 'mood', 'string', 'b'],
  ['7::positive', 'integer', 'integer', '7'],
  ["'1011'::bit(4)", 'bit(4)', 'string', '1011'],
  ["'(1,2)'::point", 'point', 'string', '(1,2)'],
  ["'192.168.0.1/24'::inet", 'inet', 'string', '192.168.0.1/24'],
  ["'[1,5)'::int4range", 'int4range', 'string', '[1,5)'],
  ["row(1, 'a b')", 'record', 'string', '(1,"a b")'],
  ["'fat & cat'::tsquery", 'tsquery', 'string', "'fat' & 'cat'"],
  ["'<a/>'::xml", 'xml', 'string', '<a/>'],
  ["'pg_class'::regclass", 'regclass', 'string', 'pg_class'],
];

describe('values of PostgreSQL', requires('postgresql'), () => {
  let server: DatabaseServer;
  before(async () => {
    const hostile = {
      timezone: 'Asia/Kathmandu',
      datestyle: 'SQL, DMY',
      bytea_output: 'escape',
      extra_float_digits: '-5',
    };
    server = await startPostgres({ ...hostile, intervalstyle: 'sql_standard' });
    await succeed(
      server.uri,
      "create type mood as enum ('a', 'b')",
      'create domain positive as int check (value > 0)',
      "create table t as select 'x'::text as a",
    );
  });
  after(() => server.stop());

  for (const [expression, type, format, text] of values) {
    it(`${expression} is ${text?.slice(0, 40) ?? 'null'}`, async () => {
      const { value, column } = await cellOf(server.uri, `select ${expression} as v`);
      assert.deepEqual({ ...column, value }, { ordinalPosition: 0, name: 'v', type, format, value: text });
    });
  }

  it('are the same in one row of all', async () => {
    const [result] = await succeed(server.uri, `select ${values.map(([expression]) => expression).join(', ')}`);
    assert.deepEqual(result?.rows, [values.map(([, , , text]) => text)]);
  });

  it('are the same whatever the commands set, in whatever way', async () => {
    const select = "timestamptz '2026-11-21 12:00Z', date '2026-02-03', '\\x00ff'::bytea";
    const expected = [['2026-11-21T12:00:00.000Z', '2026-02-03', '00ff']];
    const settings = "set_config('datestyle', 'German', false) || set_config('timezone', 'Asia/Tokyo', false)";
    const results = await succeed(
      server.uri,
      "set timezone = 'America/New_York'",
      "set datestyle = 'SQL, DMY'",
      'set bytea_output = escape',
      `select ${select}`,
      `select ${select} from (select ${settings}) s`,
    );
    assert.deepEqual(results[3]?.rows, expected);
    assert.deepEqual(results[4]?.rows, expected);
  });

  it('have columns of the same name, no columns, and no rows', async () => {
    const results = await succeed(
      server.uri,
      'select 1 as a, 2 as a, 3 as "ü "',
      'select from t',
      'select a from t where false',
      'select',
    );
    assert.deepEqual(
      results.map(({ columns, rows }) => [columns?.map(({ name }) => name), rows]),
      [
        [['a', 'a', 'ü '], [['1', '2', '3']]],
        [[], [[]]],
        [['a'], []],
        [[], [[]]],
      ],
    );
    assert.deepEqual(
      results[0]?.columns?.map(({ ordinalPosition }) => ordinalPosition),
      [0, 1, 2],
    );
  });

  it('of a megabyte, and of escapes only, come whole', async () => {
    const [result] = await succeed(
      server.uri,
      "select repeat(chr(1), 1000000), repeat('x', 1000000), repeat('\"', 300000), decode(repeat('ab', 500000), 'hex')",
    );
    const [controls, letters, quotes, bytes] = result?.rows[0] ?? [];
    assert.equal(controls, '\u0001'.repeat(1_000_000));
    assert.equal(letters, 'x'.repeat(1_000_000));
    assert.equal(quotes, '"'.repeat(300_000));
    assert.equal(bytes, 'ab'.repeat(500_000));
  });

  it('of every length come whole, wherever a packet ends', async () => {
    const [result] = await succeed(server.uri, "select i, repeat('ä', i) from generate_series(1, 1500) i");
    assert.deepEqual(
      result?.rows,
      Array.from({ length: 1500 }, (_, index) => [String(index + 1), 'ä'.repeat(index + 1)]),
    );
  });
});

describe('texts of a PostgreSQL that knows no encoding', requires('postgresql'), () => {
  let server: DatabaseServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  it('are refused by the server itself where they are not valid', async () => {
    const client = new pg.Client({ connectionString: server.uri });
    await client.connect();
    await client.query("CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
    await client.end();
    const uri = server.uri.replace(/\/rolecall$/, '/bytes');
    assert.match(await fail(uri, "select 'a' || chr(195) || 'b'"), /invalid byte sequence for encoding "UTF8"/);
    assert.equal((await cellOf(uri, "select 'ü'")).value, 'ü');
  });
});
