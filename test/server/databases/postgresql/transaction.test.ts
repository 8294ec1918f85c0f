import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { awkward, bound } from '../bindings.ts';
import { cellOf, fail, run, succeed } from '../collect.ts';

describe('the transaction of commands on PostgreSQL', requires('postgresql'), () => {
  let server: DatabaseServer;
  before(async () => {
    server = await startPostgres();
    await succeed(
      server.uri,
      'create table t (i int primary key deferrable initially deferred)',
      'create procedure commits() language plpgsql as $$ begin insert into t values (100); commit; end $$',
      'create function tries() returns void language plpgsql as $$ begin commit; end $$',
      'create procedure plainly() language sql as $$ commit $$',
      'create procedure restarts() language plpgsql as $$ begin rollback; insert into t values (101); end $$',
    );
  });
  after(() => server.stop());
  beforeEach(() => succeed(server.uri, 'delete from t'));

  const count = async (): Promise<string | null> => (await cellOf(server.uri, 'select count(*) from t')).value;

  it('is one for all commands, and is committed', async () => {
    const results = await succeed(
      server.uri,
      'insert into t values (1), (2)',
      'insert into t values (3) returning i',
      'update t set i = i + 10',
      'select count(*), min(xmin::text) = max(xmin::text) from t',
      'delete from t where i = 11',
      'create temp table u as select * from t',
      'create table if not exists v (i int)',
      'merge into v using t on v.i = t.i when not matched then insert values (t.i)',
      'set local work_mem = 1000',
      '-- nothing',
      'copy (select 1) to program $$cat > /dev/null$$',
    );
    assert.deepEqual(
      results.map(({ kind, updateCount, rows }) => [kind, updateCount, rows]),
      [
        ['update', 2, []],
        ['query', null, [['3']]],
        ['update', 3, []],
        ['query', null, [['3', 't'.replace('t', 'true')]]],
        ['update', 1, []],
        ['update', 2, []],
        ['update', null, []],
        ['update', 2, []],
        ['update', null, []],
        ['update', null, []],
        ['update', 1, []],
      ],
    );
    assert.equal(await count(), '2');
  });

  it('is rolled back as a whole by an error, and no later command starts', async () => {
    const { outcome, results } = await run(server.uri, [
      'insert into t values (1)',
      'selec 1',
      'insert into t values (2)',
    ]);
    const message = 'syntax error at or near "selec" (at character 1)';
    assert.deepEqual(outcome, { success: false, message, result: 1, cancelled: false });
    assert.deepEqual(
      results.map(({ kind, error }) => kind ?? error),
      ['update', message],
    );
    assert.equal(await count(), '0');
  });

  it('fails with detail and hint', async () => {
    assert.equal(
      await fail(server.uri, 'select abss(1)'),
      'function abss(integer) does not exist (at character 8). Hint: No function matches the given name and argument types. You might need to add explicit type casts.',
    );
  });

  it('fails when the commit does', async () => {
    const { outcome, results } = await run(server.uri, ['insert into t values (1)', 'insert into t values (1)']);
    assert.ok(!outcome.success);
    assert.match(outcome.message, /duplicate key value.*\. Detail: Key \(i\)=\(1\) already exists/);
    assert.equal(outcome.result, null);
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['update', 'update'],
    );
    assert.equal(await count(), '0');
  });

  it('fails a result that breaks after its columns and rows', async () => {
    const { outcome, results } = await run(server.uri, [
      'select 100000 / (90000 - i) from generate_series(1, 100000) i',
    ]);
    assert.ok(!outcome.success);
    assert.equal(outcome.message, 'division by zero');
    assert.equal(results[0]?.error, 'division by zero');
    assert.equal(results[0].rows.length, 89_999);
    assert.deepEqual(
      results[0].columns?.map(({ format }) => format),
      ['integer'],
    );
  });

  const ending = [
    'commit',
    'COMMIT WORK',
    'commit and chain',
    'end',
    'abort',
    'rollback',
    'ROLLBACK TRANSACTION',
    'rollback and chain',
    'begin',
    'BEGIN ISOLATION LEVEL SERIALIZABLE',
    'start transaction',
    "prepare transaction 'x'",
    "commit prepared 'x'",
    "/* a */ rollback /* to */ prepared 'x'",
    'commit;',
    'ABORT AND NO CHAIN',
    'end transaction and chain',
    '  \t\n\r\f\vcommit',
    ';;commit',
    '/* a */commit',
    '/* /* nested */ */ commit',
    '-- a\ncommit',
    '-- a\rcommit',
    '--\n/* */ ; -- /*\n CoMmIt -- */',
    'rollback/* to */ -- to\n',
    'reset all',
    'discard all',
  ];
  for (const command of ending) {
    it(`is not ended by ${JSON.stringify(command)}`, async () => {
      assert.match(await fail(server.uri, 'insert into t values (1)', command), / is refused: /);
      assert.equal(await count(), '0');
    });
  }

  const hidden: [string, RegExp][] = [
    ['select 1; commit', /multiple commands/],
    ['commit; select 1', /is refused/],
    ['do $$ begin commit; end $$', /invalid transaction termination/],
    ['do $$ begin rollback; end $$', /invalid transaction termination/],
    ['do $$ begin call commits(); end $$', /invalid transaction termination/],
    ["do $$ begin execute 'commit'; end $$", /EXECUTE of transaction commands is not implemented/],
    ['select tries()', /invalid transaction termination/],
    ['call plainly()', /COMMIT is not allowed in an SQL function/],
    ['create index concurrently on t (i)', /cannot run inside a transaction block/],
    ["alter system set work_mem = '1MB'", /cannot run inside a transaction block/],
    ['create database x', /cannot run inside a transaction block/],
    ['call commits()', /invalid transaction termination/],
    ['call restarts()', /invalid transaction termination/],
    ['/* rollback to */ select 1; rollback', /multiple commands/],
    ['explain analyze commit', /syntax error/],
    ['prepare p as commit', /syntax error/],
    ['vacuum', /cannot run inside a transaction block/],
    ['copy t from stdin', /no client can send rows/],
    ['copy t to stdout', /use SELECT/],
    ['select 1\0; commit', /must not contain the character NUL/],
    ["set client_encoding = 'LATIN1'", /client_encoding/],
  ];
  for (const [command, message] of hidden) {
    it(`is not ended by ${JSON.stringify(command)}`, async () => {
      assert.match(await fail(server.uri, 'insert into t values (1)', command), message);
      assert.equal(await count(), '0');
    });
  }

  it('takes what only looks like an end', async () => {
    await succeed(
      server.uri,
      'savepoint s',
      'insert into t values (1)',
      'rollback /* here */ to s',
      'ROLLBACK WORK TO SAVEPOINT s',
      'release s',
      'lock table t in share mode',
      'set transaction read write',
      'prepare committed as select 1',
      'execute committed',
      "select 'commit; end' as commit -- ; commit",
      'do $$ begin perform 1; end $$',
    );
    assert.equal(await count(), '0');
  });

  it('may be given its isolation by its first command', async () => {
    const results = await succeed(
      server.uri,
      'show transaction_isolation',
      'set transaction isolation level serializable',
      'show transaction_isolation',
    );
    assert.deepEqual(
      results.map(({ rows }) => rows),
      [[['read committed']], [], [['serializable']]],
    );
  });

  it('binds parameters by their numbers, as values and never as SQL', async () => {
    const select = 'select $1::text, $2::int + 1, $3::date is null';
    assert.deepEqual(await bound(server.uri, select, { 1: awkward, 2: '41', 3: null }), [awkward, '42', 'true']);
    assert.match(String(await bound(server.uri, select, { 1: 'a' })), /supplies 1 parameters, but .* requires 3/);
    assert.match(String(await bound(server.uri, 'select $1::int', { 1: '1 or true' })), /invalid input syntax/);
    assert.match(
      String(await bound(server.uri, 'select $1::int', { id: '1' })),
      /numbers the parameters of a command from 1, but these are id/,
    );
  });
});
