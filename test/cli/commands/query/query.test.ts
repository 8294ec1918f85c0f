/** Over the embedded store only: the command line knows no store. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptySqlite, queryHelpers } from '../../../server/support/queries.ts';
import { startTestService, temporaryFolder } from '../../../server/support/service.ts';
import { CapturedOutput, runCommand, runInProcess, startInProcess } from '../../support/run-command.ts';
import { type AsPerson, asPerson } from './as-person.ts';

const service = await startTestService();
const configUri = await emptySqlite(await temporaryFolder());
const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select x from c where x < 0';

describe('rolecall query', () => {
  it('prints a table in which NULL, an empty text and control characters can be told apart', async () => {
    using me = await asPerson(service, configUri);
    const sql = `select 7 as n, 'ü' as name, null as gone, char(27, 91) || '2J' || char(10) as bad union all select 12345, '', 'x', ''`;
    const { code, stdout, stderr } = await runCommand(['query', me.alias, sql], { env: me.env });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), [
      'n      name  gone  bad',
      '-----  ----  ----  -----------',
      '    7  ü     NULL  \\u{1b}[2J\\n',
      '12345        x',
      '(2 rows)',
      '',
    ]);
  });

  it('finds the data source by its name and its id too, and suggests a near one', async () => {
    using me = await asPerson(service, configUri);
    for (const name of [me.source.name, me.source.id]) {
      assert.equal((await runCommand(['query', name, 'select 1'], { env: me.env })).code, 0);
    }
    const near = await runCommand(['query', `${me.alias}x`, 'select 1'], { env: me.env });
    assert.equal(near.code, 1);
    assert.match(near.stderr, new RegExp(`you reach no data source ${me.alias}x; did you mean ${me.alias}\\?`));
    const far = await runCommand(['query', 'zzzzzzzzzzzz', 'select 1'], { env: me.env });
    assert.match(far.stderr, /rolecall access lists those that you reach/);
  });

  it('has the database bind the values of --param to one statement', async () => {
    using me = await asPerson(service, configUri);
    const run = (...args: string[]) => runCommand(['query', me.alias, ...args, '--format', 'csv'], { env: me.env });
    const bound = await run('select :name as a, :b as b', '--param', ":name='; x=y", '--param', 'b=');
    assert.equal(bound.stdout, 'a,b\r\n\'; x=y,""\r\n');
    for (const [args, why] of [
      [['select 1', 'select :a', '--param', 'a=1'], /--param goes with exactly one statement/],
      [['select :a', '--param', 'a'], /--param takes a name and a value, as in --param 1=42, not a/],
      [['select :a', '--param', 'a=1', '--param', ':a=2'], /--param names a twice/],
    ] as const) {
      const refused = await run(...args);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, why);
    }
  });

  it('writes CSV, JSON and JSON lines, with several results one after another', async () => {
    using me = await asPerson(service, configUri);
    const run = async (format: string) => {
      const args = [
        'query',
        me.alias,
        `select 1 as id, '=1+1' as t, null as n`,
        'create table t1(x)',
        `select 'a' as a`,
      ];
      return runCommand([...args, 'drop table t1', '--format', format], { env: me.env });
    };
    const csv = await run('csv');
    assert.equal(csv.stdout, "id,t,n\r\n1,'=1+1,\r\n\na\r\na\r\n");
    assert.match(csv.stderr, /^(Done\.|\d+ rows? changed\.)\n/);
    const ndjson = await run('ndjson');
    assert.equal(ndjson.stdout, '{"id":1,"t":"=1+1","n":null}\n{"a":"a"}\n');
    const json = await run('json');
    assert.match(json.stdout, /^\[\n\{"id":1,"t":"=1\+1","n":null\}\n\]\n\{"updateCount":\S+\}\n\[\n\{"a":"a"\}\n\]\n/);
  });

  it('takes the SQL from files and from standard input, and says where there is none', async () => {
    using me = await asPerson(service, configUri);
    const folder = await temporaryFolder();
    const [one, empty] = [path.join(folder, 'one.sql'), path.join(folder, 'empty.sql')];
    writeFileSync(one, '\ufeffselect 1 as one');
    writeFileSync(empty, ' \n');
    const run = (args: string[], stdin = '') =>
      runCommand(['query', me.alias, ...args, '-f', 'ndjson'], { env: me.env, stdin });
    assert.equal((await run(['--file', one, '--file', '-'], 'select 2 as two')).stdout, '{"one":1}\n{"two":2}\n');
    assert.equal((await run([], 'select 3 as three\n')).stdout, '{"three":3}\n');
    assert.match((await run([])).stderr, /there is no SQL: standard input is empty/);
    assert.match((await run(['--file', empty])).stderr, /there is no SQL: .*empty\.sql is empty/);
    assert.match((await run([''])).stderr, /there is no SQL: argument 1 is empty/);
    assert.match((await run(['--file', path.join(folder, 'none.sql')])).stderr, /there is no such file/);
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    const stderr = new CapturedOutput();
    await runInProcess(['query', me.alias], me.env, { stdin: terminal, stdout: new CapturedOutput(), stderr });
    assert.match(stderr.text, /give it as an argument, with --file, or on standard input/);
  });

  it("marks the place of a database's error, and ends with 1", async () => {
    using me = await asPerson(service, configUri);
    const sql = 'select 1\nform x';
    const text = await runCommand(['query', me.alias, sql], { env: me.env });
    assert.equal(text.code, 1);
    assert.match(text.stderr, /^error: near "x": syntax error\n {4}2 \| form x\n {6}\| {6}\^\n$/);
    const json = await runCommand(['query', me.alias, sql, '--format', 'json'], { env: me.env });
    const { error } = JSON.parse(json.stderr) as { error: { code: string; line: number; column: number } };
    assert.deepEqual([error.code, error.line, error.column], ['ERR_QUERY_FAILED', 2, 6]);
  });

  it('fits a terminal, and dims NULL there', async () => {
    using me = await asPerson(service, configUri);
    const stdout = Object.assign(new CapturedOutput(), { isTTY: true, columns: 40 });
    const sql = `select '${'long '.repeat(50)}' as a, null as n, '${'日本'.repeat(30)}' as b`;
    const streams = { stdin: Readable.from([]), stdout, stderr: new CapturedOutput() };
    assert.equal(await runInProcess(['query', me.alias, sql], me.env, streams), 0);
    const lines = stdout.text.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    assert.match(lines[2] ?? '', /^long .*… {2}NULL {2}日本.*…$/);
    assert.match(stdout.text, /\u001b\[2mNULL\u001b\[22m/);
    assert.ok((lines[0]?.length ?? 0) <= 40 && (lines[1]?.length ?? 0) <= 40);
  });

  it('cancels the query in the database at Ctrl-C, and ends with 130', async () => {
    using me = await asPerson(service, configUri);
    const started = startInProcess(['query', me.alias, endless], { env: me.env });
    const id = await newestQuery(me);
    started.signal('SIGINT');
    const { code, stderr } = await started.finished;
    assert.equal(code, 130);
    assert.match(stderr, /interrupted; the query was cancelled/);
    const { success } = await queryHelpers(service).completed(id);
    assert.equal(success, false);
  });

  it('cancels the query when nothing reads its rows any more', async () => {
    using me = await asPerson(service, configUri);
    const stdout = new PassThrough({ highWaterMark: 1 });
    stdout.once('data', () => {
      stdout.destroy(Object.assign(new Error('closed'), { code: 'EPIPE' }));
    });
    stdout.on('error', () => undefined);
    const sql = 'with recursive c(x) as (select 1 union all select x + 1 from c) select x from c';
    const streams = { stdin: Readable.from([]), stdout, stderr: new CapturedOutput() };
    assert.equal(await runInProcess(['query', me.alias, sql], me.env, streams), 0);
    const id = await newestQuery(me);
    assert.equal((await queryHelpers(service).completed(id)).success, false);
  });

  it('says in words that the access has ended, and ends with 4', async () => {
    using me = await asPerson(service, configUri);
    const started = startInProcess(['query', me.alias, endless], { env: me.env });
    await newestQuery(me);
    await service.ok('DELETE', `/permission/${me.grant}`);
    const { code, stderr } = await started.finished;
    assert.equal(code, 4);
    assert.match(stderr, new RegExp(`^error: your access to ${me.alias} was taken away`));
    const again = await runCommand(['query', me.alias, 'select 1'], { env: me.env });
    assert.ok(again.code === 4 || /you reach no data source/.test(again.stderr), again.stderr);
  });

  it('ends with 4 where the person is locked during the query', async () => {
    using me = await asPerson(service, configUri);
    const started = startInProcess(['query', me.alias, endless], { env: me.env });
    await newestQuery(me);
    await service.ok('PUT', `/person/${me.person.id}/lock`);
    const { code, stderr } = await started.finished;
    assert.equal(code, 4);
    assert.match(stderr, /your session has ended, or your account was locked/);
  });

  it("lists the person's own queries by their text", async () => {
    using me = await asPerson(service, configUri);
    for (const sql of ['select 1 as apples', 'select 2 as pears'])
      await runCommand(['query', me.alias, sql], { env: me.env });
    const history = await runCommand(['query', '--history', 'APPLES'], { env: me.env });
    assert.match(history.stdout, new RegExp(`${me.alias} +done +select 1 as apples `));
    assert.doesNotMatch(history.stdout, /pears/);
    const all = await runCommand(['query', '--history', '--format', 'json'], { env: me.env });
    assert.equal((JSON.parse(all.stdout) as unknown[]).length, 2);
    const both = await runCommand(['query', me.alias, '--history'], { env: me.env });
    assert.match(both.stderr, /--history takes a text/);
  });
});

/** The newest query of the person, once there is one. */
async function newestQuery({ session }: AsPerson): Promise<string> {
  for (;;) {
    const [newest] = await session.ok('listMyQueries', 'GET', '/query');
    if (newest !== undefined) return newest.id;
    await sleep(5);
  }
}
