import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { type CommandSink, runCommands } from '../../../../server/databases/run.ts';
import { guard } from '../../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../../support/handles.ts';
import { cellOf, collector, fail, run, succeed } from '../collect.ts';

let folder: string;
let file: string;
let uri: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rolecall-sqlite-run-'));
  file = path.join(folder, 'data.db');
  uri = `sqlite://${file}`;
  using database = new DatabaseSync(file);
  database.exec('CREATE TABLE t (i INTEGER PRIMARY KEY)');
});
after(() => {
  rmSync(folder, { recursive: true });
});

/** An endless number of rows, and one row after an endless time. */
const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c';
const computing = `SELECT count(*) FROM (${endless})`;

describe('the transaction of commands on SQLite', () => {
  beforeEach(() => succeed(uri, 'DELETE FROM t'));
  const count = async (): Promise<string | null> => (await cellOf(uri, 'SELECT count(*) FROM t')).value;

  it('is one for all commands, and is committed', async () => {
    const results = await succeed(
      uri,
      'INSERT INTO t VALUES (1), (2)',
      'INSERT INTO t VALUES (3) RETURNING i',
      'CREATE TABLE IF NOT EXISTS u (i)',
      'UPDATE t SET i = i + 10 WHERE i > 1',
      '-- nothing',
      'PRAGMA table_info(t)',
      'SAVEPOINT s',
      'DELETE FROM t',
      'ROLLBACK TO s',
      'RELEASE s',
      "SELECT 'commit; end'; -- ; commit",
    );
    assert.deepEqual(
      results.slice(0, 5).map(({ kind, updateCount, rows }) => [kind, updateCount, rows]),
      [
        ['update', 2, []],
        ['query', null, [['3']]],
        ['update', null, []],
        ['update', 2, []],
        ['update', null, []],
      ],
    );
    assert.equal(await count(), '3');
  });

  it('is rolled back as a whole by an error, and no later command starts', async () => {
    const { outcome, results } = await run(uri, ['INSERT INTO t VALUES (1)', 'SELEC 1', 'INSERT INTO t VALUES (2)']);
    const message = 'near "SELEC": syntax error';
    assert.deepEqual(outcome, { success: false, message, result: 1, cancelled: false });
    assert.deepEqual(
      results.map(({ kind, error }) => kind ?? error),
      ['update', message],
    );
    assert.equal(await count(), '0');
  });

  it('fails a result that breaks after its columns', async () => {
    const message = await fail(
      uri,
      `SELECT abs(CASE x WHEN 50000 THEN -9223372036854775807 - 1 ELSE x END) FROM (${endless})`,
    );
    assert.equal(message, 'integer overflow');
  });

  const refused: [string, RegExp][] = [
    ...[
      'COMMIT',
      'END TRANSACTION',
      'ROLLBACK',
      'BEGIN',
      '/* a */ commit',
      '-- a\n;;commit',
      'BEGIN IMMEDIATE',
      'END',
      'COMMIT;',
      'ROLLBACK TRANSACTION',
      'BEGIN EXCLUSIVE',
    ].map((sql): [string, RegExp] => [sql, /is refused: the commands of a query run in one transaction/]),
    ['SELECT 1; COMMIT', /one statement, not several/],
    ['INSERT INTO t VALUES (2); COMMIT', /one statement, not several/],
    ['SELECT 1;/* */; --\nCOMMIT', /one statement, not several/],
    ['SELECT 1\0; COMMIT', /NUL/],
    ["ATTACH 'other.db' AS o", /ATTACH, DETACH and VACUUM INTO are refused/],
    ['DETACH main', /refused/],
    ["VACUUM INTO 'copy.db'", /refused|cannot VACUUM/],
    ['VACUUM', /cannot VACUUM from within a transaction/],
    ['PRAGMA journal_mode = WAL', /PRAGMA journal_mode with a value is refused/],
    ['PRAGMA user_version(7)', /PRAGMA user_version with a value is refused/],
    ['PRAGMA writable_schema = 1', /refused/],
    ['PRAGMA optimize', /refused/],
    ["SELECT * FROM pragma_journal_mode('WAL')", /unknown database|refused/],
    ["SELECT load_extension('x')", /load_extension is refused|not authorized|no such function/],
    ['INSERT OR ROLLBACK INTO t VALUES (1)', /UNIQUE constraint failed/],
  ];
  for (const [sql, message] of refused) {
    it(`is not ended by ${JSON.stringify(sql)}`, async () => {
      assert.match(await fail(uri, 'INSERT INTO t VALUES (1)', sql), message);
      assert.equal(await count(), '0');
      assert.deepEqual(readdirSync(folder), ['data.db']);
    });
  }

  it('of mode=ro writes nothing', async () => {
    assert.match(await fail(`${uri}?mode=ro`, 'INSERT INTO t VALUES (1)'), /readonly database/);
    await succeed(`${uri}?mode=ro`, 'SELECT * FROM t');
  });

  it('does not make a file that is missing', async () => {
    const { outcome } = await run(`sqlite://${folder}/missing.db`, ['SELECT 1']);
    assert.deepEqual(outcome, {
      success: false,
      message: 'unable to open database file',
      result: null,
      cancelled: false,
    });
    assert.deepEqual(readdirSync(folder), ['data.db']);
  });
});

describe('stopping commands on SQLite', () => {
  for (const [what, sql] of [
    ['that computes', computing],
    ['whose rows come', endless],
  ] as const) {
    it(`ends a command ${what}`, async () => {
      const controller = new AbortController();
      let aborted = 0;
      const cancel = (): void => {
        aborted = performance.now();
        controller.abort(new Error('cancelled'));
      };
      const handles = openHandles();
      const collecting = collector([], false);
      const sink: CommandSink = {
        ...collecting,
        started: (index) => {
          // A moment later, when it computes.
          if (index === 1) setTimeout(cancel, 300);
          return collecting.started(index);
        },
      };
      const outcome = await runCommands(parseConnectionUri(uri), ['INSERT INTO t VALUES (7)', sql], sink, {
        guard,
        signal: controller.signal,
      });
      assert.deepEqual(outcome, { success: false, message: 'cancelled', result: 1, cancelled: true });
      assert.ok(performance.now() - aborted < 5_000);
      assert.equal((await cellOf(uri, 'SELECT count(*) FROM t WHERE i = 7')).value, '0');
      await assertNothingLeft(handles);
    });
  }

  it('makes the child wait for a sink that is slow', async () => {
    const controller = new AbortController();
    const before = process.memoryUsage.rss();
    let [chunks, most] = [0, 0];
    const sink = {
      ...collector([], false),
      rows: async () => {
        chunks += 1;
        most = Math.max(most, process.memoryUsage.rss() - before);
        await sleep(50);
        if (chunks === 20) controller.abort(new Error('enough'));
      },
    };
    await runCommands(parseConnectionUri(uri), [endless], sink, { guard, signal: controller.signal });
    assert.equal(chunks < 40, true);
    assert.ok(most < 64 * 1024 * 1024, `grew by ${most}`);
  });

  it('happens after its time', async () => {
    const { outcome } = await run(uri, [computing], { statementTimeoutMs: 300 });
    assert.deepEqual(outcome, { success: false, message: 'no answer within 0.3 s', result: 0, cancelled: false });
  });
});
