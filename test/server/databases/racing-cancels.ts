import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { runCommands } from '../../../server/databases/run.ts';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { guard } from '../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';
import { emptySqlite } from '../support/queries.ts';
import { temporaryFolder } from '../support/service.ts';
import { collector } from './collect.ts';

/** A database with an empty table `raced (i int)`, which someone besides the races looks into. */
export interface Arena {
  /** For the queries of a lane, which come one after the other. */
  uriOf: (lane: number) => string;
  /** What the table holds, in order. */
  rows: () => Promise<number[]>;
  /** How many sessions there are besides this one. */
  sessions: () => Promise<number>;
  close: () => Promise<void>;
}

export interface RaceReport {
  committed: number;
  cancelled: number;
  bystanders: number;
}

/** Races at the same time. */
const lanes = 4;
const warmUps = 5;

/**
 * Lets as many queries race with their own cancel as asked, beside queries that no one cancels. Each has either succeeded
 * and its row is there, or it was cancelled and its row is not; those that no one cancels succeed, and no session is left.
 */
export async function raceCancels(arena: Arena, count: number, bystanders = 2): Promise<RaceReport> {
  const handles = openHandles();
  const committed: number[] = [];
  const state = { next: 0, usual: 0, cancelled: 0, bystanding: 0 };
  const begun = performance.now();
  for (let row = -1; row >= -warmUps; row -= 1) await succeed(0, row);
  state.usual = (performance.now() - begun) / warmUps;

  async function succeed(lane: number, row: number): Promise<void> {
    const begin = performance.now();
    assert.deepEqual(await runOne(arena.uriOf(lane), row, new AbortController().signal), { success: true });
    committed.push(row);
    state.usual += (performance.now() - begin - state.usual) / 20;
  }
  async function race(lane: number): Promise<void> {
    while (state.next < count) {
      const row = state.next;
      state.next += 1;
      const controller = new AbortController();
      // From the first moment to a little after the last, as long as these queries take on this machine at the moment.
      const timer = setTimeout(
        () => {
          controller.abort(new Error('raced'));
        },
        Math.random() * state.usual * 1.5,
      );
      const outcome = await runOne(arena.uriOf(lane), row, controller.signal);
      clearTimeout(timer);
      if (outcome.success) {
        committed.push(row);
      } else {
        assert.deepEqual(outcome, { success: false, message: 'raced', result: outcome.result, cancelled: true });
        state.cancelled += 1;
      }
    }
  }
  async function stand(lane: number): Promise<void> {
    for (let row = count * (lane + 1); state.next < count; row += 1) {
      await succeed(lane, row);
      state.bystanding += 1;
    }
  }

  const all = [
    ...Array.from({ length: lanes }, (_, lane) => race(lane)),
    ...Array.from({ length: bystanders }, (_, index) => stand(lanes + index)),
  ];
  try {
    await Promise.all(all);
  } finally {
    state.next = count;
    await Promise.allSettled(all);
  }
  assert.deepEqual(
    await arena.rows(),
    committed.sort((a, b) => a - b),
  );
  for (let tries = 0; tries < 2400 && (await arena.sessions()) > 0; tries += 1) await sleep(25);
  assert.equal(await arena.sessions(), 0, 'sessions are left');
  await assertNothingLeft(handles);
  return { committed: count - state.cancelled, cancelled: state.cancelled, bystanders: state.bystanding };
}

function runOne(uri: string, row: number, signal: AbortSignal) {
  const commands = [`insert into raced values (${row})`, 'select count(*) from raced where i < 5'];
  const options = { guard, signal, connectTimeoutMs: 60_000 };
  return runCommands(parseConnectionUri(uri), commands, collector([], false), options);
}

export async function postgresArena(): Promise<Arena> {
  const server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.uri });
  await admin.connect();
  await admin.query('create table raced (i int)');
  const sessions =
    "select count(*)::int as value from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";
  return {
    uriOf: () => server.uri,
    rows: async () => (await admin.query<{ i: number }>('select i from raced order by i')).rows.map(({ i }) => i),
    sessions: async () => (await admin.query<{ value: number }>(sessions)).rows[0]?.value ?? 0,
    close: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

export async function mariadbArena(): Promise<Arena> {
  const server = await startMariadb();
  const { host, port, user, password } = server;
  const admin = await createConnection({ host, port, user, password, database: 'rolecall' });
  await admin.query('create table raced (i int)');
  const ask = async (sql: string): Promise<number[]> => {
    const [rows] = await admin.query<RowDataPacket[]>(sql);
    return rows.map((row) => Number(row['value']));
  };
  const sessions =
    "select count(*) as value from information_schema.processlist where user = 'rolecall' and id <> connection_id()";
  return {
    uriOf: () => server.uri,
    rows: () => ask('select i as value from raced order by i'),
    sessions: async () => (await ask(sessions))[0] ?? 0,
    close: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

/** A file a lane: SQLite lets one write at a time, and who waits too long for that fails. */
export async function sqliteArena(): Promise<Arena> {
  const uris = await Promise.all(Array.from({ length: lanes + 2 }, async () => emptySqlite(await temporaryFolder())));
  const files = uris.map((uri) => uri.replace('sqlite://', ''));
  for (const file of files) {
    using database = new DatabaseSync(file);
    database.exec('create table raced (i int)');
  }
  const rowsOf = (file: string): number[] => {
    using database = new DatabaseSync(file, { timeout: 5000 });
    const rows = database.prepare('select i as value from raced').all();
    return rows.map((row) => Number(row['value']));
  };
  return {
    uriOf: (lane) => uris[lane] ?? '',
    rows: () => Promise.resolve(files.flatMap(rowsOf).sort((a, b) => a - b)),
    sessions: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}
