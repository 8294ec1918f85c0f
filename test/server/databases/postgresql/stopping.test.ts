import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import pg from 'pg';
import { runCommands } from '../../../../server/databases/run.ts';
import { makeCertificates } from '../../../support/databases/certificates.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { guard } from '../../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../../support/handles.ts';
import { type Collected, collector, run, succeed } from '../collect.ts';
import { type Proxy, startProxy } from '../proxy.ts';

/** In the list of columns: a function after FROM is computed whole, to a file, before its first row. */
const endless = 'select generate_series(1, 1000000000000)';

describe('stopping commands on PostgreSQL', requires('postgresql', 'openssl'), () => {
  let server: DatabaseServer;
  let admin: pg.Client;
  before(async () => {
    const { certificate, key } = makeCertificates();
    server = await startPostgres(
      { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' },
      { 'server.pem': certificate, 'server.key': key },
    );
    admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
    await succeed(server.uri, 'create table t (i int)');
  });
  after(async () => {
    await admin.end();
    await server.stop();
  });

  const sessions = async (): Promise<string[]> => {
    const { rows } = await admin.query<{ query: string }>(
      "SELECT query FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    return rows.map(({ query }) => query);
  };
  /** Until something is true of a command; fails where it has ended before, for nothing would come of waiting. */
  const until = async (isTrue: () => Promise<boolean>, outcome: Promise<unknown>): Promise<void> => {
    let ended: unknown;
    void outcome.then((end) => (ended = end));
    while (!(await isTrue())) {
      assert.equal(ended, undefined, `it has ended: ${JSON.stringify(ended)}`);
      await sleep(10);
    }
  };
  const running = (text: string, outcome: Promise<unknown>): Promise<void> =>
    until(async () => (await sessions()).some((query) => query.includes(text)), outcome);
  /** Cancels once the command runs; the database must have stopped within a second. */
  const cancelled = async (uri: string, command: string): Promise<void> => {
    const controller = new AbortController();
    const outcome = run(uri, ['insert into t values (1)', command], { signal: controller.signal });
    await running(command, outcome);
    await sleep(100);
    const start = performance.now();
    controller.abort(new Error('cancelled by ada'));
    while ((await sessions()).length > 0) await sleep(10);
    const took = performance.now() - start;
    assert.ok(took < 1000, `took ${took} ms`);
    const { outcome: end, results } = await outcome;
    assert.deepEqual(end, { success: false, message: 'cancelled by ada', result: 1, cancelled: true });
    assert.equal(results[1]?.error, 'cancelled by ada');
    assert.equal((await admin.query('SELECT 1 FROM t')).rowCount, 0);
  };

  it('ends a command that computes', () => cancelled(server.uri, 'select pg_sleep(1000)'));
  it('ends a command that computes, over TLS', () =>
    cancelled(`${server.uri}?sslmode=require`, 'select pg_sleep(1001)'));
  it('ends a command that waits for a lock', async () => {
    await admin.query('SELECT pg_advisory_lock(4711)');
    await cancelled(server.uri, 'select pg_advisory_lock(4711)');
    await admin.query('SELECT pg_advisory_unlock(4711)');
  });

  it('ends a command whose rows are not read', async () => {
    const handles = openHandles();
    const controller = new AbortController();
    const results: Collected[] = [];
    const { promise: blocked, resolve: unblock } = Promise.withResolvers<undefined>();
    const sink = { ...collector(results, false), rows: () => blocked };
    const uri = parseConnectionUri(server.uri);
    const outcome = runCommands(uri, [endless], sink, { guard, signal: controller.signal, highWaterBytes: 100_000 });
    await running(endless, outcome);
    await sleep(300);
    // The connection is not closed by the clock: a server that cannot send does not see that it is to stop.
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      controller.abort(new Error('enough'));
      while ((await sessions()).length > 0) await turn();
    } finally {
      mock.timers.reset();
    }
    unblock(undefined);
    assert.deepEqual(await outcome, { success: false, message: 'enough', result: 0, cancelled: true });
    await assertNothingLeft(handles);
  });

  it('before it begins runs nothing', async () => {
    const { outcome, results } = await run(server.uri, ['select 1'], {
      signal: AbortSignal.abort(new Error('too late')),
    });
    assert.deepEqual(outcome, { success: false, message: 'too late', result: null, cancelled: true });
    assert.deepEqual(results, []);
  });

  it('ends the commands whose sink fails, and throws its error', async () => {
    const handles = openHandles();
    const error = new Error('disk full');
    const sink = { ...collector([], false), rows: () => Promise.reject(error) };
    const uri = parseConnectionUri(server.uri);
    await assert.rejects(runCommands(uri, [endless], sink, { guard, signal: new AbortController().signal }), error);
    while ((await sessions()).length > 0) await sleep(10);
    await assertNothingLeft(handles);
  });

  it('after its time says so', async () => {
    const { outcome } = await run(server.uri, ['select pg_sleep(10)'], { statementTimeoutMs: 200 });
    assert.ok(!outcome.success && !outcome.cancelled);
    assert.equal(outcome.message, 'canceling statement due to statement timeout');
  });

  it('after its time happens even where a command lifts the time-out', async () => {
    const start = performance.now();
    const commands = ['set statement_timeout = 0', 'select pg_sleep(10)'];
    const { outcome } = await run(server.uri, commands, { statementTimeoutMs: 200 });
    assert.ok(!outcome.success);
    assert.equal(outcome.message, 'no answer within 0.2 s');
    assert.ok(performance.now() - start < 9000);
    assert.deepEqual(await sessions(), []);
  });

  it('happens when the server ends the session, with its reason', async () => {
    const outcome = run(server.uri, ['select pg_sleep(1002)']);
    // By what it waits for: before it sleeps, the session asks for names of types, and then has another text.
    const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await until(async () => (await admin.query(terminate)).rowCount === 1, outcome);
    const { outcome: end } = await outcome;
    assert.ok(!end.success);
    assert.equal(end.message, 'terminating connection due to administrator command');
  });

  describe('when what is between breaks', () => {
    let proxy: Proxy;
    let uri: string;
    before(async () => {
      proxy = await startProxy(server);
      uri = server.uri.replace(`:${server.port}/`, `:${proxy.port}/`);
    });
    after(() => proxy.close());

    it('in the middle of a result: fails, keeps the rows that came, never tries again', async () => {
      const before = proxy.connections();
      proxy.cutAfter(2_000_000);
      const { outcome, results } = await run(uri, ['insert into t values (1)', endless]);
      assert.ok(!outcome.success && !outcome.cancelled);
      assert.match(outcome.message, /ECONNRESET|closed the connection/);
      assert.ok((results[1]?.rows.length ?? 0) > 1000);
      assert.equal(results[1]?.rows[999]?.[0], '1000');
      assert.equal(proxy.connections(), before + 1);
      proxy.cutAfter(Infinity);
      assert.equal((await admin.query('SELECT 1 FROM t')).rowCount, 0);
    });

    it('by silence: the time-out ends it', async () => {
      const handles = openHandles();
      const results: Collected[] = [];
      const options = { guard, signal: new AbortController().signal, statementTimeoutMs: 2000 };
      const outcome = runCommands(parseConnectionUri(uri), ['select pg_sleep(20)'], collector(results), options);
      await running('pg_sleep(20)', outcome);
      proxy.freeze();
      const start = performance.now();
      const message = 'no answer within 2 s';
      assert.deepEqual(await outcome, { success: false, message, result: 0, cancelled: false });
      assert.ok(performance.now() - start < 15_000);
      proxy.cut();
      await assertNothingLeft(handles);
    });

    it('during the commit: reports that the outcome is unknown', async () => {
      await admin.query('CREATE TABLE IF NOT EXISTS d (i int primary key deferrable initially deferred, j text)');
      await admin.query(`CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); RETURN NEW; END';
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON d DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
      const outcome = run(uri, ['insert into d values (1)'], { statementTimeoutMs: 30_000 });
      await running('COMMIT', outcome);
      proxy.cut();
      const { outcome: end } = await outcome;
      assert.ok(!end.success);
      assert.equal(end.result, null);
      assert.match(end.message, /unknown whether the commands took effect/);
    });
  });
});
