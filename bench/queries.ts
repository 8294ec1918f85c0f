import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { Pool } from 'undici';
import { startPostgres } from '../test/support/databases/postgres.ts';
import type { DatabaseServer } from '../test/support/databases/server.ts';
import { type ServerChild, startChild } from './children/child.ts';
import { type PeerFile, startNginx } from './peers/nginx.ts';
import { copyOut, runSql } from './peers/psql.ts';
import { median, percentile, type Report, round } from './report/report.ts';

/** ROLECALL_BENCH_ROWS makes a short run of it, to see that it works. */
const rows = Number(process.env['ROLECALL_BENCH_ROWS'] ?? 10_000_000);
const rounds = 3;
const pageRows = 10_000;
const readers = 4;
const seeks = 400;

/** A query of many rows: spooled against `psql \copy`, and read back against nginx with the same bytes. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const dataDir = join(folder, 'data');
  const database = await startPostgres({ max_wal_size: '4GB', jit: 'off' });
  const key = await createKey({ dataDir, scope: 'admin' });
  const service = await startChild('service.ts', [dataDir]);
  try {
    return await measure(database, service, key, folder);
  } finally {
    await service.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  database: DatabaseServer,
  service: ServerChild,
  key: { id: string; secret: string },
  folder: string,
): Promise<Report> {
  await runSql(database, makeTable);
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  const authorization = `Basic ${Buffer.from(`${key.id}@api:${key.secret}`).toString('base64')}`;
  const source = await client.call('createDataSource', { body: { name: 'Bench', configUri: database.uri } });
  const spool = async (command: string): Promise<string> => {
    const { queryId } = await client.call('executeCommands', {
      params: { dataSource: source.id },
      body: { commands: [command] },
    });
    for (;;) {
      const query = await client.call('getQuery', { params: { query: queryId } });
      if (query.completedAt !== null) {
        if (query.success !== true) throw new Error(`the query ${command} failed`);
        return queryId;
      }
      await sleep(10);
    }
  };
  const everything = 'select * from measured';
  // Code that loads only once is not growth.
  await spool(`${everything} limit 100000`);
  const turns: { spooled: number; copied: number; growth: number }[] = [];
  let last = '';
  for (let turn = 0; turn < rounds; turn += 1) {
    if (last !== '') await client.call('deleteQuery', { params: { query: last } });
    const copied = await timed(() => copyOut(database, everything, join(folder, 'copied')));
    rmSync(join(folder, 'copied'));
    const watch = await watchMemory(service);
    const spooled = await timed(async () => {
      last = await spool(everything);
    });
    turns.push({ spooled, copied, growth: await watch.stop() });
  }
  await client.close();
  const pages = await readPages(service.url, authorization, last);
  const nginx = await startNginx(join(folder, 'nginx'), { file: join(folder, 'data', 'spool', last, '0.rows') });
  const bytes = await compareBytes(service.url, authorization, last, pages, nginx);
  await nginx?.stop();
  const ends = await compareEnds(service.url, authorization, last);
  const middle = (figure: keyof (typeof turns)[0]): number => median(turns.map((turn) => turn[figure]));
  return {
    name: 'queries',
    figures: {
      rows,
      spoolRatio: round(median(turns.map(({ spooled, copied }) => spooled / copied))),
      spoolSeconds: round(middle('spooled')),
      copySeconds: round(middle('copied')),
      memoryGrowthMiB: round(Math.max(...turns.map(({ growth }) => growth)) / 2 ** 20, 1),
      ...(bytes.ratio === undefined ? {} : { pagesBytesRatio: round(bytes.ratio) }),
      pagesMiBPerSecond: round(bytes.ours / 2 ** 20, 1),
      lastPageP99Ratio: round(ends.ratio),
      firstPageP99Ms: round(ends.first),
      lastPageP99Ms: round(ends.last),
    },
    notes: {
      rows: 'of an int, a text, a numeric and a timestamptz',
      spoolRatio: 'time of the query, from execute until it is complete ÷ psql \\copy of the same rows to a file',
      memoryGrowthMiB: "the most that the service's resident memory grew by during a query",
      pagesBytesRatio: `all rows in pages of ${pageRows}: bytes a second ÷ the same bytes as ranges of a file by nginx`,
      pagesMiBPerSecond:
        bytes.ratio === undefined ? 'nginx is missing, so nothing to compare with: apt-get install nginx-light' : '',
      lastPageP99Ratio: `p99 of the page of 1,000 rows at seek=${rows - 1000} ÷ p99 of the one at 0`,
    },
    bounds: {
      spoolRatio: ['at most', 3],
      memoryGrowthMiB: ['at most', 64],
      pagesBytesRatio: ['at least', 0.3],
      lastPageP99Ratio: ['at most', 2],
    },
  };
}

const makeTable = `create unlogged table measured as select i,
    md5(i::text) as t,
    (i * 1.0001)::numeric(20, 4) as n,
    timestamptz '2026-01-01 00:00:00.123456+00' + i * interval '1 second' as ts
  from generate_series(1, ${rows}) i; vacuum analyze measured; checkpoint`;

/** @returns seconds */
async function timed(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

/** Follows how much memory a service takes; `stop` gives by how much it grew at most, in bytes. */
async function watchMemory(service: ServerChild): Promise<{ stop: () => Promise<number> }> {
  const { rss: start } = await service.status();
  const state = { most: start, over: false };
  const watching = (async () => {
    while (!state.over) {
      state.most = Math.max(state.most, (await service.status()).rss);
      await sleep(50);
    }
  })();
  return {
    stop: async () => {
      state.over = true;
      await watching;
      return state.most - start;
    },
  };
}

const pathOf = (query: string, seek: number, limit: number): string =>
  `/api/v2/query/${query}/result/0/rows?seek=${seek}&limit=${limit}`;

/** Where each page's rows are in the file of all rows: a page is those bytes between brackets, with a comma after it. */
async function readPages(url: string, authorization: string, query: string): Promise<PeerFile['ranges']> {
  const ranges: { start: number; end: number }[] = [];
  const pool = new Pool(url, { connections: 1 });
  let start = 0;
  for (let seek = 0; seek < rows; seek += pageRows) {
    const size = await drain(pool, pathOf(query, seek, pageRows), { authorization });
    ranges.push({ start, end: start + size - 2 });
    start += size - 1;
  }
  await pool.close();
  return ranges;
}

async function compareBytes(
  url: string,
  authorization: string,
  query: string,
  ranges: PeerFile['ranges'],
  nginx: Awaited<ReturnType<typeof startNginx>>,
): Promise<{ ours: number; ratio: number | undefined }> {
  const ours: number[] = [];
  const ratios: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    const mine = await bytesPerSecond(url, ranges, (_range, index) => ({
      path: pathOf(query, index * pageRows, pageRows),
      headers: { authorization },
    }));
    ours.push(mine);
    if (nginx === undefined) continue;
    const peer = await bytesPerSecond(nginx.url, ranges, ({ start, end }) => ({
      path: nginx.path,
      headers: { range: `bytes=${start}-${end - 1}` },
    }));
    ratios.push(mine / peer);
  }
  return { ours: median(ours), ratio: nginx === undefined ? undefined : median(ratios) };
}

type Range = PeerFile['ranges'][0];

async function bytesPerSecond(
  url: string,
  ranges: readonly Range[],
  requestOf: (range: Range, index: number) => { path: string; headers: Record<string, string> },
): Promise<number> {
  const pool = new Pool(url, { connections: readers });
  const pages = ranges.entries();
  let bytes = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      // One iterator for all: each takes the next page as it becomes free.
      for (const [index, range] of pages) {
        const { path, headers } = requestOf(range, index);
        bytes += await drain(pool, path, headers);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  await pool.close();
  return bytes / seconds;
}

/** @returns how many bytes came */
async function drain(pool: Pool, path: string, headers: Record<string, string>): Promise<number> {
  const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
  if (statusCode !== 200 && statusCode !== 206) throw new Error(`${path} was answered with ${statusCode}`);
  let size = 0;
  for await (const chunk of body) size += (chunk as Buffer).length;
  return size;
}

/** Reads the first and the last page in turns. */
async function compareEnds(url: string, authorization: string, query: string) {
  const pool = new Pool(url, { connections: 1 });
  const times: { first: number[]; last: number[] } = { first: [], last: [] };
  for (let turn = 0; turn < seeks; turn += 1) {
    for (const [which, seek] of [
      ['first', 0],
      ['last', rows - 1000],
    ] as const) {
      const begin = performance.now();
      await drain(pool, pathOf(query, seek, 1000), { authorization });
      times[which].push(performance.now() - begin);
    }
  }
  await pool.close();
  const [first, last] = [percentile(times.first, 0.99), percentile(times.last, 0.99)];
  return { first, last, ratio: last / first };
}
