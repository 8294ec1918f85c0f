import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from '@rolecall/api';
import type * as server from '@rolecall/server';
import { Pool } from 'undici';
import { type ServerChild, startChild } from '../children/child.ts';
import { median, round } from '../report/report.ts';

/** The last commit at which only API keys gave access. */
const before = 'ebfb86c';
const root = resolve(import.meta.dirname, '../..');
const [connections, people] = [32, 1000];

/**
 * Two processes of the same code differ by a tenth, as the compiler and the memory happen to fall, and the machine's speed
 * changes from second to second. So there are several pairs of processes, and each takes turns of a few milliseconds.
 */
const [pairs, turns, warmUp] = [8, 30, 6];
/** Without these, what is compiled and when would differ more from process to process. */
const steady = ['--hash-seed=1', '--no-concurrent-recompilation'];

interface Side {
  readonly service: ServerChild;
  readonly pool: Pool;
  readonly headers: Record<string, string>;
  readonly person: string;
}

interface Sent {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
}

interface Load {
  readonly turn: number;
  readonly next: (side: Side) => Sent;
}

let unique = 0;

/** What is compared, and how many requests make a turn. In this order: the last adds people to the list. */
const loads: Readonly<Record<string, Load>> = {
  beforeGetPersonRatio: { turn: 300, next: ({ person }) => ({ path: `/api/v2/person/${person}`, method: 'GET' }) },
  beforeListPeopleRatio: { turn: 100, next: () => ({ path: '/api/v2/person', method: 'GET' }) },
  beforePostPersonRatio: {
    turn: 150,
    next: () => {
      const username = `grace-${(unique += 1)}`;
      const body = JSON.stringify({ name: 'Grace Hopper', username, email: `${username}@example.com` });
      return { path: '/api/v2/person', method: 'POST', body };
    },
  },
};

/** Compares the administrative API with that of this commit: the median over all turns of now ÷ then, in requests for the same CPU time. */
export async function measureBefore(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const ratios = Object.fromEntries(Object.keys(loads).map((name) => [name, [] as number[]]));
  try {
    const then = join(folder, 'source');
    checkOut(then);
    for (let pair = 0; pair < pairs; pair += 1) {
      const dataDir = () => mkdtempSync(join(folder, 'data-'));
      // Each starts first in turn.
      const sources = pair % 2 === 0 ? [then, root] : [root, then];
      const sides: Side[] = [];
      try {
        for (const one of sources) sides.push(await start(one, dataDir()));
        const [a, b] = sides as [Side, Side];
        const [old, now] = pair % 2 === 0 ? [a, b] : [b, a];
        for (const [name, load] of Object.entries(loads)) ratios[name]?.push(...(await compare(load, old, now)));
      } finally {
        await Promise.all(sides.map(stop));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return Object.fromEntries(Object.entries(ratios).map(([name, found]) => [name, round(median(found), 3)]));
}

/** @returns of each turn, then ÷ now in CPU time */
async function compare(load: Load, then: Side, now: Side): Promise<number[]> {
  for (let turn = 0; turn < warmUp; turn += 1) for (const side of [then, now]) await run(side, load, 4);
  const ratios: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) {
      const old = await run(then, load);
      ratios.push(old / (await run(now, load)));
    } else {
      const anew = await run(now, load);
      ratios.push((await run(then, load)) / anew);
    }
  }
  return ratios;
}

/** Sends the requests of some turns, each connection its next when the last is answered. @returns the CPU time of the service */
async function run(side: Side, load: Load, count = 1): Promise<number> {
  let left = load.turn * count;
  const begun = side.service.cpuNanoseconds();
  const one = async (): Promise<void> => {
    while (left-- > 0) await send(side, load.next(side));
  };
  await Promise.all(Array.from({ length: connections }, one));
  return side.service.cpuNanoseconds() - begun;
}

async function send({ pool, headers }: Side, sent: Sent): Promise<void> {
  const answer = await pool.request({ ...sent, headers });
  await answer.body.arrayBuffer();
  if (answer.statusCode >= 300) throw new Error(`${sent.method} ${sent.path} was answered with ${answer.statusCode}`);
}

/** Gets the sources of that commit, which run with the packages of this one. */
function checkOut(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@rolecall'), { recursive: true });
  const archive = execFileSync('git', ['archive', before, 'api', 'server', 'bench/children', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@rolecall') symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const name of ['api', 'server']) symlinkSync(join(folder, name), join(folder, 'node_modules/@rolecall', name));
}

/** Each makes its own store: the newer one would bring the older one's up to date. */
async function start(sources: string, dataDir: string): Promise<Side> {
  const { createKey } = (await import(join(sources, 'server/index.ts'))) as typeof server;
  const { id, secret } = await createKey({ dataDir, scope: 'admin' });
  const service = await startChild(join(sources, 'bench/children/service.ts'), [dataDir], {}, steady);
  const client = createClient({ url: service.url, keyId: id, keySecret: secret, connections });
  const add = (index: number) =>
    client.call('createPerson', {
      body: { name: `Person ${index}`, email: `person-${index}@example.com`, username: `person-${index}` },
    });
  const [first] = await Promise.all(Array.from({ length: people }, (_, index) => add(index)));
  await client.close();
  const authorization = `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return { service, pool: new Pool(service.url, { connections }), headers, person: first?.id ?? '' };
}

async function stop({ service, pool }: Side): Promise<void> {
  await pool.close();
  await service.stop();
}
