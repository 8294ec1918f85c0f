import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EntryDraft } from '../../../server/audit/entry.ts';
import { ProcessLease } from '../../../server/gateway/process-lease.ts';
import { GatewayAudit } from '../../../server/gateway/session-audit.ts';
import { Statements } from '../../../server/gateway/statements.ts';
import type { Store } from '../../../server/store/store.ts';
import { stopTime } from '../../support/mocked-time.ts';
import { until } from '../person-api/in-editor.ts';

const of = {
  id: 's1',
  person: 'p1',
  dataSource: 'd1',
  protocol: 'postgresql',
  address: '192.0.2.7',
  client: 'psql',
  atServer: null,
} as const;

/** A trail whose store can be away. */
function trail() {
  const entries: EntryDraft[] = [];
  const state = { isAway: false, errors: 0, resumed: 0, statements: 0 };
  const write: Store['write'] = async (_changes, work) => {
    // It gets to a write a moment later.
    await Promise.resolve();
    if (state.isAway) throw new Error('the store is away');
    // What is not recorded is the list of open sessions, which is not looked at here.
    const all = (): { id: string }[] => {
      state.statements += 1;
      return [{ id: 'process' }];
    };
    const executor = { now: () => new Date(0), all };
    return work(executor as never, (entry) => entries.push(entry));
  };
  const audit = new GatewayAudit({
    store: { write },
    lease: new ProcessLease(),
    clock: () => new Date(0),
    onError: () => {
      state.errors += 1;
    },
  });
  const statements = new Statements();
  const resume = (): void => {
    state.resumed += 1;
  };
  const begin = () => audit.begin(of, { statements, tellRunning: () => undefined, resume });
  const runs = () =>
    entries
      .flatMap(({ changes }) => (changes[0]?.after?.['statements'] ?? []) as { runs: number }[])
      .reduce((sum, one) => sum + one.runs, 0);
  const add = (text: string) => {
    statements.add({ characters: text.length, digest: text.slice(0, 20), text }, { runs: 1, rows: 0 });
  };
  return { audit, entries, state, begin, runs, add };
}

describe('the audit trail of the gateway', () => {
  it('lets no session begin that it cannot record', async () => {
    const { begin, state } = trail();
    state.isAway = true;
    await assert.rejects(begin(), /the store is away/);
  });

  it('has what a client calls itself without what a store cannot keep: others begin with the same write', async () => {
    const { audit, entries } = trail();
    const followed = { statements: new Statements(), tellRunning: () => undefined, resume: () => undefined };
    await audit.begin({ ...of, client: 'a\0b\u{1}\ud83d'.padEnd(300, 'c') }, followed);
    const client = entries[0]?.changes[0]?.after?.['client'];
    assert.ok(typeof client === 'string');
    assert.match(client, /^a b \ufffdc+$/);
    assert.equal(client.length, 200);
  });

  it('writes the rows of sessions that begin or end together with few statements, and renews the lease only when it is due', async (test) => {
    const pass = stopTime(test);
    const { audit, begin, state } = trail();
    const sessions = await Promise.all(Array.from({ length: 16 }, begin));
    // 8 rows with each, and the lease.
    assert.equal(state.statements, 3);
    for (const one of sessions.slice(1)) one.end('the client left');
    await pass(100);
    await audit.flush();
    assert.equal(state.statements, 3 + 4);
    await begin();
    assert.equal(state.statements, 3 + 4 + 1);
    await pass(3000);
    await begin();
    assert.equal(state.statements, 3 + 4 + 1 + 2);
  });

  it('passes nothing more while it cannot be written, says so once, and loses nothing', async () => {
    const { begin, state, runs, add } = trail();
    const session = await begin();
    state.isAway = true;
    add('one');
    session.added();
    assert.equal(session.isBehind(), false);
    await until(() => session.isBehind());
    add('two');
    session.end('the client left');
    await until(() => state.errors > 0);
    state.isAway = false;
    await until(() => runs() === 2);
    assert.equal(session.isBehind(), false);
    assert.equal(state.errors, 1);
    assert.ok(state.resumed > 0);
  });

  it('makes a session wait that runs more different statements than it can write', async () => {
    const { begin, runs, add } = trail();
    const session = await begin();
    for (let count = 0; count < 1000; count += 1) add(`statement ${count}`);
    assert.equal(session.isBehind(), true);
    session.added();
    await until(() => runs() === 1000);
    assert.equal(session.isBehind(), false);
  });

  it('writes a new statement at once, and only counts the runs of one that it has', async (test) => {
    const pass = stopTime(test);
    const { begin, entries, runs, add } = trail();
    const session = await begin();
    add('one');
    session.added();
    const told = () => entries.filter(({ changes }) => changes[0]?.action === 'statements run').length;
    await pass(100);
    assert.equal(runs(), 1);
    for (let count = 0; count < 30; count += 1) {
      add('one');
      session.added();
      await pass(30);
    }
    assert.equal(told(), 1, 'the runs wait');
    add('two');
    session.added();
    await pass(100);
    assert.deepEqual([runs(), told()], [32, 2], 'they were written with the next new statement');
    add('two');
    session.added();
    await pass(1000);
    assert.equal(runs(), 33);
  });

  it('splits what is long, and writes what is left at the end', async () => {
    const { audit, begin, entries, add, runs } = trail();
    const session = await begin();
    for (let count = 0; count < 40; count += 1) add(`${count} ${'x'.repeat(16_000)}`);
    session.end('the gateway is shutting down');
    await audit.flush();
    assert.equal(runs(), 40);
    assert.ok(entries.length > 3);
    assert.ok(entries.every((entry) => JSON.stringify(entry).length < 300_000));
    assert.equal(entries.at(-1)?.changes[0]?.after?.['reason'], 'the gateway is shutting down');
  });
});
