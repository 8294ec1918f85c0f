import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { runCommands } from '../../../../server/databases/run.ts';
import { makeCertificates } from '../../../support/databases/certificates.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { guard } from '../../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../../support/handles.ts';
import { awkward, bound } from '../bindings.ts';
import { cellOf, collector, fail, run, succeed } from '../collect.ts';
import { startProxy } from '../proxy.ts';
import { refusedCommands } from './refused-commands.ts';

/** Ways in which a procedure ends the transaction that it is called in. */
const committing = {
  ends: 'COMMIT',
  undoes: 'ROLLBACK',
  begins: 'START TRANSACTION',
  chains: 'COMMIT AND CHAIN',
  makes: 'CREATE TABLE IF NOT EXISTS made (i int)',
  truncates: 'TRUNCATE t',
  prepares: "PREPARE s FROM 'COMMIT'; EXECUTE s; DEALLOCATE PREPARE s",
  immediately: "EXECUTE IMMEDIATE 'COMMIT'",
  grants: "CREATE USER IF NOT EXISTS 'x'",
};

const endless = 'SELECT a.seq FROM seq_1_to_1000000 a, seq_1_to_1000000 b';

describe('commands on MariaDB', requires('mariadb', 'openssl'), () => {
  let server: DatabaseServer;
  let admin: Connection;
  before(async () => {
    const { certificate, key } = makeCertificates();
    server = await startMariadb(['--ssl-cert={folder}/server.pem', '--ssl-key={folder}/server.key'], {
      'server.pem': certificate,
      'server.key': key,
    });
    const { host, port, user, password } = server;
    admin = await createConnection({ host, port, user, password, database: 'rolecall' });
    await admin.query('CREATE TABLE t (i int PRIMARY KEY)');
    await admin.query('CREATE PROCEDURE commits() BEGIN INSERT INTO t VALUES (100); COMMIT; START TRANSACTION; END');
    for (const [name, body] of Object.entries(committing)) {
      await admin.query(`CREATE PROCEDURE ${name}() BEGIN INSERT INTO t VALUES (100); ${body}; END`);
    }
    await admin.query("CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 'x' AS b, i FROM t; END");
    await admin.query('CREATE PROCEDURE adds() BEGIN INSERT INTO t VALUES (7), (8); END');
    await admin.query("CREATE PROCEDURE zones() BEGIN SET time_zone = '+09:00'; SET NAMES latin1; END");
    for (const [name, setting] of [
      ['zone', "time_zone = '+09:00'"],
      ['names', 'NAMES latin1'],
    ] as const) {
      await admin.query(`CREATE FUNCTION sets_${name}() RETURNS int BEGIN SET ${setting}; RETURN 1; END`);
      await admin.query(`CREATE PROCEDURE shows_${name}() BEGIN SET ${setting}; SELECT 'ü', FROM_UNIXTIME(0); END`);
    }
  });
  after(async () => {
    await admin.end();
    await server.stop();
  });
  beforeEach(() => admin.query('DELETE FROM t'));

  const count = async (): Promise<string | null> => (await cellOf(server.uri, 'SELECT count(*) FROM t')).value;
  const sessions = async (): Promise<string[]> => {
    const [rows] = await admin.query<RowDataPacket[]>(
      "SELECT COALESCE(info, '') AS info FROM information_schema.processlist WHERE user = 'rolecall' AND id <> connection_id()",
    );
    return rows.map(({ info }) => String(info));
  };
  const running = async (text: string): Promise<void> => {
    while (!(await sessions()).some((info) => info.includes(text))) await sleep(10);
  };

  it('are one transaction, which is committed', async () => {
    const results = await succeed(
      server.uri,
      'INSERT INTO t VALUES (1), (2)',
      'UPDATE t SET i = i + 10 WHERE i > 1',
      'UPDATE t SET i = i',
      'SELECT count(*) FROM t',
      'CREATE TEMPORARY TABLE u AS SELECT * FROM t',
      'SAVEPOINT s',
      'DELETE FROM t',
      'ROLLBACK TO SAVEPOINT s',
      'RELEASE SAVEPOINT s',
      'SET @a = 1',
      'CALL adds()',
      '# a\n-- b\n/* c */ select @a',
      "SELECT 'commit; rollback'",
      'INSERT INTO t VALUES (3) RETURNING i',
    );
    assert.deepEqual(
      results.map(({ kind, updateCount, rows }) => [kind, updateCount, rows]),
      [
        ['update', 2, []],
        ['update', 1, []],
        ['update', 0, []],
        ['query', null, [['2']]],
        ['update', null, []],
        ['update', null, []],
        ['update', 2, []],
        ['update', null, []],
        ['update', null, []],
        ['update', null, []],
        ['update', 2, []],
        ['query', null, [['1']]],
        ['query', null, [['commit; rollback']]],
        ['query', null, [['3']]],
      ],
    );
    assert.equal(await count(), '5');
  });

  it('are rolled back as a whole by an error, and no later command starts', async () => {
    const { outcome, results } = await run(server.uri, [
      'INSERT INTO t VALUES (1)',
      'SELECT * FROM nowhere',
      'INSERT INTO t VALUES (2)',
    ]);
    const message = "Table 'rolecall.nowhere' doesn't exist";
    assert.deepEqual(outcome, { success: false, message, result: 1, cancelled: false });
    assert.deepEqual(
      results.map(({ kind, error }) => kind ?? error),
      ['update', message],
    );
    assert.equal(await count(), '0');
  });

  it('fail with a result that breaks after its columns', async () => {
    const { outcome, results } = await run(server.uri, [
      'SELECT seq, (SELECT seq FROM seq_1_to_2 WHERE outside.seq = 50000) FROM seq_1_to_100000 AS outside',
    ]);
    assert.ok(!outcome.success);
    assert.match(outcome.message, /more than 1 row/);
    assert.equal(results[0]?.error, outcome.message);
    assert.equal(results[0].columns?.length, 2);
  });

  it('give one result for every result of a procedure', async () => {
    const { outcome, results } = await run(server.uri, ['INSERT INTO t VALUES (1)', 'CALL two()', 'SELECT 3']);
    assert.deepEqual(outcome, { success: true });
    assert.deepEqual(
      results.map(({ kind, rows }) => [kind, rows]),
      [
        ['update', []],
        ['query', [['1']]],
        ['query', [['x', '1']]],
        ['query', [['3']]],
      ],
    );
  });

  it('keep their zone and character set after a procedure that changes them', async () => {
    const at = "SELECT 'ü', unix_timestamp('1970-01-02')";
    assert.deepEqual((await succeed(server.uri, 'CALL zones()', at))[1]?.rows, [['ü', '86400']]);
  });

  it('fail when a function changes what values mean while they are read', async () => {
    for (const name of ['zone', 'names']) {
      for (const sql of [`SELECT sets_${name}(), 'ü', FROM_UNIXTIME(0)`, `CALL shows_${name}()`]) {
        assert.match(await fail(server.uri, 'INSERT INTO t VALUES (1)', sql), /time_zone, which has to remain \+00:00/);
        assert.equal(await count(), '0');
      }
    }
  });

  it('may begin with a bracket, behind a comment too', async () => {
    for (const sql of ['(SELECT 1)', '/* a */ (SELECT 1)', '-- a\n(SELECT 1) UNION (SELECT 1)']) {
      assert.deepEqual((await succeed(server.uri, sql))[0]?.rows, [['1']]);
    }
  });

  for (const sql of refusedCommands) {
    it(`are not ended by ${JSON.stringify(sql)}`, async () => {
      assert.match(await fail(server.uri, 'INSERT INTO t VALUES (1)', sql), /is refused/);
      assert.equal(await count(), '0');
    });
  }

  for (const sql of ['SELECT 1; COMMIT', 'INSERT INTO t VALUES (2); COMMIT', '/* a */ SELECT 1 /*! ; COMMIT */']) {
    it(`are not ended by ${JSON.stringify(sql)}`, async () => {
      assert.match(await fail(server.uri, 'INSERT INTO t VALUES (1)', sql), /error in your SQL syntax/);
      assert.equal(await count(), '0');
    });
  }

  for (const [name, body] of Object.entries(committing)) {
    it(`fail where a procedure ends the transaction by ${body}, and say so`, async () => {
      const message = await fail(server.uri, 'INSERT INTO t VALUES (1)', `CALL ${name}()`);
      assert.match(message, /ended the transaction: .* may have been committed/);
    });
  }

  it('have no function and no trigger that commits: MySQL makes none', async () => {
    const made = (sql: string) => admin.query(sql).then(() => 'made', String);
    assert.match(await made('CREATE FUNCTION f() RETURNS int BEGIN COMMIT; RETURN 1; END'), /commit is not allowed/);
    assert.match(await made('CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW COMMIT'), /commit is not allowed/);
  });

  it('fail where a procedure commits, and say so', async () => {
    const message = await fail(server.uri, 'INSERT INTO t VALUES (1)', 'CALL commits()');
    assert.match(message, /ended the transaction: .* may have been committed/);
  });

  for (const [what, sql, parameters] of [
    ['that computes', 'SELECT sleep(1000)', ''],
    ['that computes, over TLS', 'SELECT sleep(1001)', '?ssl-mode=required'],
    ['whose rows come', endless, ''],
    ['that writes', 'INSERT INTO t SELECT a.seq FROM seq_1_to_100000000 a', ''],
  ] as const) {
    it(`end when they are cancelled: one ${what}`, async () => {
      const handles = openHandles();
      const controller = new AbortController();
      const uri = parseConnectionUri(`${server.uri}${parameters}`);
      const outcome = runCommands(uri, ['INSERT INTO t VALUES (0)', sql], collector([], false), {
        guard,
        signal: controller.signal,
      });
      await running(sql);
      await sleep(200);
      const start = performance.now();
      controller.abort(new Error('cancelled by ada'));
      while ((await sessions()).some((info) => info.includes(sql))) await sleep(10);
      assert.ok(performance.now() - start < 1000);
      assert.deepEqual(await outcome, { success: false, message: 'cancelled by ada', result: 1, cancelled: true });
      await assertNothingLeft(handles);
      while ((await sessions()).length > 0) await sleep(10);
      assert.equal(await count(), '0');
    });
  }

  it('end after their time', async () => {
    const { outcome } = await run(server.uri, ['SELECT sleep(10)'], { statementTimeoutMs: 200 });
    assert.ok(!outcome.success && !outcome.cancelled);
    assert.match(outcome.message, /max_statement_time exceeded/);
  });

  it('end when the server ends the session', async () => {
    const outcome = run(server.uri, ['SELECT sleep(1002)']);
    await running('1002');
    const [rows] = await admin.query<RowDataPacket[]>(
      "SELECT id FROM information_schema.processlist WHERE info = 'SELECT sleep(1002)'",
    );
    await admin.query(`KILL CONNECTION ${String(rows[0]?.['id'])}`);
    const { outcome: end } = await outcome;
    assert.ok(!end.success);
    assert.match(end.message, /closed the connection|killed|interrupted/);
  });

  it('fail when the connection is cut in the middle of a result, and keep the rows that came', async () => {
    const proxy = await startProxy(server);
    try {
      proxy.cutAfter(2_000_000);
      const uri = server.uri.replace(`:${server.port}/`, `:${proxy.port}/`);
      const { outcome, results } = await run(uri, ['INSERT INTO t VALUES (1)', endless]);
      assert.ok(!outcome.success && !outcome.cancelled);
      assert.match(outcome.message, /ECONNRESET|closed the connection/);
      assert.ok((results[1]?.rows.length ?? 0) > 1000);
      assert.equal(proxy.connections(), 1);
      assert.equal(await count(), '0');
    } finally {
      await proxy.close();
    }
  });

  it('binds parameters by their order, as values and never as SQL, in every mode', async () => {
    const { uri } = server;
    await admin.query('CREATE TABLE words (w varchar(200) COLLATE utf8mb4_unicode_ci) CHARACTER SET utf8mb4');
    const select = 'SELECT ?, ? + 1, ? IS NULL';
    assert.deepEqual(await bound(uri, select, { 1: awkward, 2: '41', 3: null }), [awkward, '42', '1']);
    const { outcome } = await run(uri, ['INSERT INTO words VALUES (?)'], { bindings: { 1: awkward } });
    assert.deepEqual(outcome, { success: true });
    // A collation of its own: a value must not count as a column.
    assert.deepEqual(await bound(uri, 'SELECT COUNT(*) FROM words WHERE w = ?', { 1: awkward }), ['1']);
    assert.match(String(await bound(uri, select, { 1: 'a' })), /Incorrect arguments to EXECUTE/i);
    assert.match(String(await bound(uri, 'COMMIT', { 1: 'a' })), /COMMIT is refused/);
    await admin.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'");
    try {
      assert.deepEqual(await bound(uri, 'SELECT ?', { 1: awkward }), [awkward]);
    } finally {
      await admin.query('SET GLOBAL sql_mode = DEFAULT');
    }
  });
});
