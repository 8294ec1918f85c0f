import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, type Service, type StoreLocation, startService } from '@rolecall/server';
import pg from 'pg';
import { serverProcesses, signalAll } from '../../test/server/databases/processes.ts';
import { startPostgres } from '../../test/support/databases/postgres.ts';
import { median, round } from '../report/report.ts';
import { Workspace } from './workspace.ts';

/** ROLECALL_BENCH_ENDS makes a short run of it, to see that it works. */
const count = Number(process.env['ROLECALL_BENCH_ENDS'] ?? 1000);
/** In milliseconds: how long the ends take, how long before its end each statement begins, and how long the store stands still. */
const [spread, lead, standstill] = [count * 90, 15_000, 10_000];
/** How long before the standstill no statement begins, and over how long those due in it begin earlier, in milliseconds. */
const [quiet, ahead] = [8000, 20_000];
const lookEvery = 20;
const passages = Math.min(count, 200);
const rounds = 5;

/** How late statements end when their person's access does, with the database itself as the witness. */
export async function measureEnds(): Promise<Record<string, number>> {
  const storeServer = await startPostgres({ max_connections: '100' });
  const database = await startPostgres({ max_connections: '900' });
  const witness = new pg.Client({ connectionString: database.uri });
  const store = {
    databaseUrl: storeServer.uri,
    environment: { ROLECALL_STORE_KEY: randomBytes(32).toString('base64') },
  };
  const replicas = await startReplicas(store);
  try {
    await witness.connect();
    const key = await createKey({ ...store, scope: 'admin' });
    const workspace = await Workspace.make(
      replicas.map(({ url }) => url),
      { key, store, configUri: database.uri, statements: count },
    );
    const processes = await serverProcesses('postgresql', storeServer);
    const { ends, refused } = await observeEnds(workspace, witness, processes);
    const late = ends.map(({ ms }) => ms);
    const early = ends.filter(({ ms }) => ms < 0);
    for (const { index, ms, query } of early) {
      process.stderr.write(`end-${index} was gone ${-ms} ms early: ${await workspace.reasonOf(query)}\n`);
    }
    return {
      ends: ends.length,
      endsRefused: refused,
      endsOnTime: late.filter((ms) => ms <= 1000).length,
      endsEarly: early.length,
      endsLateP50Ms: Math.round(median(late)),
      endsLateMaxMs: Math.round(Math.max(...late)),
      apiWithPassagesRatio: round(await compareApi(workspace)),
    };
  } finally {
    await witness.end();
    await Promise.all(replicas.map((replica) => replica.close()));
    await Promise.all([storeServer.stop(), database.stop()]);
  }
}

async function startReplicas(store: StoreLocation & { environment: Record<string, string> }): Promise<Service[]> {
  const options = { ...store, allowedNetworks: ['127.0.0.0/8'], limits: { rateLimit: 0 }, queryConcurrency: 700 };
  return [await startService(options), await startService(options)];
}

interface End {
  readonly index: number;
  readonly query: string;
  /** How late the statement was gone, in milliseconds; infinity for one that was not. */
  readonly ms: number;
}

/** @returns the ends of the statements that began, and how many were refused, since the store stood still or the machine is busy */
async function observeEnds(
  workspace: Workspace,
  witness: pg.Client,
  processes: readonly number[],
): Promise<{ ends: End[]; refused: number }> {
  const begin = Date.now() + lead + quiet + ahead;
  const stopAt = begin + spread / 2;
  const ends = Array.from({ length: count }, () => Math.round(begin + Math.random() * spread));
  const look = new Look(witness);
  const looking = look.run();
  const beginning = ends.map(async (end, index) => {
    // What would begin while the store stands still begins before.
    const due = end - lead;
    const held = due > stopAt - quiet && due < stopAt + standstill + 1000;
    await sleep(Math.max(0, (held ? stopAt - quiet - Math.random() * ahead : due) - Date.now()));
    return workspace.begin(index, end);
  });
  let begun: (string | undefined)[];
  try {
    [begun] = await Promise.all([Promise.all(beginning), standStill(processes, stopAt)]);
    await sleep(begin + spread + 3000 - Date.now());
  } finally {
    look.stop();
    await looking;
  }
  const seen = ends.flatMap((end, index): End[] => {
    const query = begun[index];
    // On a busy machine, a statement may not have begun in time to be seen.
    if (query === undefined || !(look.goneAt.has(index) || look.running.has(index))) return [];
    return [{ index, query, ms: (look.goneAt.get(index) ?? Infinity) - end }];
  });
  return { ends: seen, refused: count - seen.length };
}

async function standStill(processes: readonly number[], at: number): Promise<void> {
  await sleep(at - Date.now());
  signalAll(processes, 'SIGSTOP');
  await sleep(standstill);
  signalAll(processes, 'SIGCONT');
}

/** Looks again and again at the statements that the database works on. */
class Look {
  /** When each statement was gone, by its number. */
  readonly goneAt = new Map<number, number>();
  readonly #witness: pg.Client;
  running = new Set<number>();
  #stopped = false;

  constructor(witness: pg.Client) {
    this.#witness = witness;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const { rows } = await this.#witness.query<{ n: string }>(
        "select substring(query from 'end-([0-9]+)') as n from pg_stat_activity where state = 'active' and query like 'select pg_sleep%'",
      );
      const at = Date.now();
      const now = new Set(rows.map(({ n }) => Number(n)));
      for (const one of this.running) if (!now.has(one)) this.goneAt.set(one, at);
      this.running = now;
      await sleep(lookEvery);
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}

/** Requests a second with an API key, with many passages open and with none, in turns: the median of the rounds. */
async function compareApi(workspace: Workspace): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await workspace.requestsPerSecond();
    const queries: (string | undefined)[] = [];
    for (let index = 0; index < passages; index += 1) {
      queries.push(await workspace.begin(index, Date.now() + 3_600_000));
    }
    const during = (await workspace.requestsPerSecond()) + (await workspace.requestsPerSecond());
    for (const query of queries) if (query !== undefined) await workspace.cancel(query);
    ratios.push(during / (before + (await workspace.requestsPerSecond())));
  }
  return median(ratios);
}
