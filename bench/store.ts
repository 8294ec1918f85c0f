import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { insertPerson } from '../server/store/person.ts';
import { openPostgresStore } from '../server/store/postgresql/open.ts';
import { openSqliteStore } from '../server/store/sqlite/open.ts';
import type { Store } from '../server/store/store.ts';
import { startPostgres } from '../test/support/databases/postgres.ts';
import type { DatabaseServer } from '../test/support/databases/server.ts';
import { median, type Report, round } from './report/report.ts';

/** ROLECALL_BENCH_SECONDS makes a short run of it, to see that it works. */
const seconds = Number(process.env['ROLECALL_BENCH_SECONDS'] ?? 3);
const rounds = 3;
const many = 64;

/** Durability as the database has it by default, not as tests set it. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', max_connections: '200' };

/**
 * Writes a second of both stores, each a person with a unique username and e-mail, beside the same rows written to the database
 * directly: SQLite one commit after the other, PostgreSQL under pgbench with as many clients.
 */
export async function run(): Promise<Report> {
  requirePgbench();
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const server = await startPostgres(durable);
  const sqlite = await openSqliteStore(folder);
  const postgresql = await openPostgresStore(server.uri);
  try {
    const ceilings = { sqlite: sqliteCeiling(folder), postgresql: pgbench(server, folder) };
    return await measure({ sqlite, postgresql }, ceilings);
  } finally {
    await Promise.all([sqlite.close(), postgresql.close()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Kind = 'sqlite' | 'postgresql';
/** Gives commits a second of so many clients. */
type Ceiling = (clients: number) => number;

async function measure(stores: Record<Kind, Store>, ceilings: Record<Kind, Ceiling>): Promise<Report> {
  const figures: Record<string, number> = {};
  const notes: Record<string, string> = {};
  for (const kind of ['sqlite', 'postgresql'] as const) {
    for (const clients of [1, many]) {
      const turns: { ours: number; ceiling: number }[] = [];
      for (let turn = 0; turn < rounds; turn += 1) {
        turns.push({ ours: await writes(stores[kind], clients), ceiling: ceilings[kind](clients) });
      }
      const name = `${kind}${clients}`;
      figures[`${name}Ratio`] = round(median(turns.map(({ ours, ceiling }) => ours / ceiling)));
      figures[`${name}PerSecond`] = Math.round(median(turns.map(({ ours }) => ours)));
      figures[`${name}CeilingPerSecond`] = Math.round(median(turns.map(({ ceiling }) => ceiling)));
      const peer = kind === 'sqlite' ? 'SQLite, one commit after the other' : `pgbench with ${clients} clients`;
      notes[`${name}Ratio`] = `writes a second of ${clients} ${clients === 1 ? 'client' : 'clients'} ÷ ${peer}`;
    }
  }
  return { name: 'store', figures, notes };
}

let people = 0;

/** Each client writes one person after the other. */
async function writes(store: Store, clients: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      people += 1;
      const username = `person-${people}`;
      const person = {
        id: username,
        name: 'Ada Lovelace',
        username,
        email: `${username}@example.com`,
        createdAt: '2026-11-21T12:00:00.000Z',
        isLocked: false,
      };
      await store.write(['person'], (executor) => insertPerson(executor, person));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count / seconds;
}

const table = 'peer (seq integer primary key, id text unique, username text unique, email text unique, name text)';

/** One row a transaction, on one connection, with the settings of the store: SQLite takes one writer at a time. */
function sqliteCeiling(folder: string): Ceiling {
  const database = new DatabaseSync(join(folder, 'peer.db'));
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000; create table ${table}`,
  );
  const insert = database.prepare('insert into peer (id, username, email, name) values (?, ?, ?, ?)');
  return () => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    for (; performance.now() < end; count += 1) {
      people += 1;
      insert.run(`p${people}`, `u${people}`, `u${people}@example.com`, 'Ada Lovelace');
    }
    return count / seconds;
  };
}

function pgbench({ host, port, user, password }: DatabaseServer, folder: string): Ceiling {
  const script = join(folder, 'insert.sql');
  writeFileSync(
    script,
    "insert into peer (id, username, email, name) select v, v, v || '@example.com', 'Ada Lovelace' from (select gen_random_uuid()::text as v) as one;\n",
  );
  const env = { ...process.env, PGPASSWORD: password };
  const at = ['-h', host, '-p', String(port), '-U', user];
  const made = spawnSync('psql', [...at, '-c', `create table ${table.replace('integer', 'bigserial')}`, 'rolecall'], {
    env,
  });
  if (made.status !== 0) throw new Error(String(made.stderr));
  return (clients) => {
    const args = [
      '-n',
      '-M',
      'prepared',
      '-f',
      script,
      '-c',
      String(clients),
      '-j',
      '1',
      '-T',
      String(Math.ceil(seconds)),
    ];
    const { stdout, stderr, status } = spawnSync('pgbench', [...at, ...args, 'rolecall'], { env, encoding: 'utf8' });
    const tps = /tps = ([\d.]+)/.exec(stdout)?.[1];
    if (status !== 0 || tps === undefined) throw new Error(`pgbench failed: ${stderr}`);
    return Number(tps);
  };
}

function requirePgbench(): void {
  for (const program of ['pgbench', 'psql']) {
    if (spawnSync(program, ['--version']).status === 0) continue;
    throw new Error(`the benchmark needs ${program}: apt-get install postgresql-contrib postgresql-client`);
  }
}
