import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type RunOptions, type RunOutcome, runCommands } from '../../../server/databases/run.ts';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../support/databases/server.ts';
import { guard } from '../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';
import { emptySqlite } from '../support/queries.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Collected, collector } from './collect.ts';
import { childrenOf, serverProcesses, signalAll } from './processes.ts';

const databases = {
  postgresql: {
    start: startPostgres,
    sleep: 'select pg_sleep(%)',
    endless: 'select generate_series(1, 1000000000000)',
  },
  mariadb: {
    start: startMariadb,
    sleep: 'SELECT sleep(%)',
    endless: 'SELECT a.seq FROM seq_1_to_1000000 a, seq_1_to_1000000 b',
  },
};

interface Begun {
  results: Collected[];
  outcome: Promise<RunOutcome>;
  /** Waits until there are results of so many commands, and at least some rows of the last. */
  reached: (commands: number, rows: number) => Promise<void>;
}

function begin(uri: string, commands: string[], options: Partial<RunOptions> = {}): Begun {
  const results: Collected[] = [];
  const { signal } = new AbortController();
  const outcome = runCommands(parseConnectionUri(uri), commands, collector(results), { guard, signal, ...options });
  const state = { ended: false };
  void outcome.then(() => {
    state.ended = true;
  });
  return {
    results,
    outcome,
    reached: async (count, rows) => {
      while (!state.ended && (results.length < count || (results.at(-1)?.count ?? 0) < rows)) await sleep(5);
      // A command has begun a little later than it is said to.
      await sleep(100);
    },
  };
}

/** The message of a run that has to fail by itself, with nothing left open. */
async function failureOf(outcome: Promise<RunOutcome>): Promise<string> {
  const end = await outcome;
  assert.ok(!end.success && !end.cancelled, JSON.stringify(end));
  return end.message;
}

const linux = process.platform === 'linux';

for (const name of ['postgresql', 'mariadb'] as const) {
  const { start, sleep: sleeping, endless } = databases[name];
  const sleepFor = (seconds: number): string => sleeping.replace('%', String(seconds));

  describe(`a ${name} that dies`, { ...requires(name), ...(linux ? {} : { skip: 'needs Linux' }) }, () => {
    for (const [what, command, rows] of [
      ['while a command computes', sleepFor(1000), 0],
      ['in the middle of a result', endless, 1000],
    ] as const) {
      it(`${what}: the query fails with the reason, and keeps the rows that came`, async (test) => {
        const server = await start();
        test.after(() => server.stop());
        const handles = openHandles();
        const { results, outcome, reached } = begin(server.uri, [sleepFor(0), command]);
        await reached(2, rows);
        signalAll(await serverProcesses(name, server), 'SIGKILL');
        assert.match(await failureOf(outcome), /ECONNRESET|EPIPE|closed the connection|terminating connection/);
        assert.deepEqual([results.length, results[1]?.error !== undefined], [2, true]);
        assert.ok((results[1]?.rows.length ?? 0) >= rows);
        await assertNothingLeft(handles);
        const again = begin(server.uri, [command], { connectTimeoutMs: 2000 });
        assert.match(await failureOf(again.outcome), /ECONN|connection|no answer/i);
      });
    }
  });

  describe(`a ${name} that hangs`, { ...requires(name), ...(linux ? {} : { skip: 'needs Linux' }) }, () => {
    let server: DatabaseServer;
    let processes: number[] = [];
    const liveness = { silenceMs: 200, answerMs: 500 };
    before(async () => {
      server = await start();
    });
    after(async () => {
      await server.stop();
    });
    const stop = async (): Promise<void> => {
      processes = await serverProcesses(name, server);
      signalAll(processes, 'SIGSTOP');
    };
    const goOn = (): void => {
      signalAll(processes, 'SIGCONT');
    };

    it('is told from one that works on a command for long, and has nothing to complain about', async () => {
      // Before anything stops it: what is given up meanwhile it counts long after it goes on.
      const aborted = name === 'mariadb' ? await abortedConnects(server) : '';
      const handles = openHandles();
      // Most of them end while the server is being probed.
      for (let round = 0; round < 20; round += 1) {
        const { outcome } = begin(server.uri, [sleepFor(0.2)], { liveness: { silenceMs: 1, answerMs: 10_000 } });
        assert.deepEqual(await outcome, { success: true });
      }
      await assertNothingLeft(handles);
      if (name === 'mariadb') assert.equal(await abortedConnects(server), aborted);
    });

    for (const [what, command, rows] of [
      ['while a command computes', sleepFor(1000), 0],
      ['in the middle of a result', endless, 1000],
    ] as const) {
      it(`${what}: the query fails with the reason, and keeps the rows that came`, async () => {
        const handles = openHandles();
        const { results, outcome, reached } = begin(server.uri, [sleepFor(0), command], { liveness });
        await reached(2, rows);
        await stop();
        try {
          assert.match(await failureOf(outcome), /^the server hangs: no answer for \d+\.\d s, neither to the command/);
          assert.ok((results[1]?.rows.length ?? 0) >= rows);
          assert.match(results[1]?.error ?? '', /hangs/);
        } finally {
          goOn();
        }
        await assertNothingLeft(handles);
      });
    }

    it('before it lets anybody in: the query fails with the reason', async () => {
      await stop();
      try {
        const { outcome } = begin(server.uri, [sleepFor(0)], { connectTimeoutMs: 300 });
        assert.match(await failureOf(outcome), /^no answer within 0\.3 s: the connection was made, but/);
      } finally {
        goOn();
      }
    });
  });
}

async function abortedConnects({ host, port, user, password }: DatabaseServer): Promise<string> {
  const connection = await createConnection({ host, port, user, password });
  const [rows] = await connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Aborted_connects'");
  await connection.end();
  return String(rows[0]?.['Value']);
}

describe('the process that works on a SQLite file', { skip: linux ? false : 'needs Linux' }, () => {
  it('when it dies, fails the query with the reason, and keeps the rows that came', async () => {
    const handles = openHandles();
    const before = childrenOf(process.pid);
    const endless = 'with recursive c(i) as (select 1 union all select i + 1 from c) select i from c';
    const uri = await emptySqlite(await temporaryFolder());
    const { results, outcome, reached } = begin(uri, ['create table t (i int)', endless]);
    await reached(2, 1000);
    signalAll(
      childrenOf(process.pid).filter((pid) => !before.includes(pid)),
      'SIGKILL',
    );
    assert.match(await failureOf(outcome), /the process that works on SQLite files ended with SIGKILL/);
    assert.ok((results[1]?.rows.length ?? 0) >= 1000);
    await assertNothingLeft(handles);
    const left = begin(uri, ["select 1 from sqlite_master where name = 't'"]);
    assert.deepEqual([await left.outcome, left.results[0]?.rows], [{ success: true }, []]);
  });
});
