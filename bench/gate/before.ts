import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from '@rolecall/api';
import type * as server from '@rolecall/server';
import { type ServerChild, startChild } from '../children/child.ts';
import { median, round } from '../report.ts';
import { type Load, load } from '../throughput.ts';

/** The last commit at which only API keys gave access. */
const before = 'ebfb86c';
const root = resolve(import.meta.dirname, '../..');
const [rounds, seconds, connections, people] = [7, 3, 32, 1000];

interface Side {
  readonly service: ServerChild;
  readonly headers: Record<string, string>;
  readonly person: string;
}

/** Compares the administrative API with that of this commit, in turns, so that a machine that slows down slows both. */
export async function measureBefore(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const services: ServerChild[] = [];
  const start = async (sources: string): Promise<Side> => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    // Each makes its own store: the newer one would bring the older one's up to date.
    const { createKey } = (await import(join(sources, 'server/index.ts'))) as typeof server;
    const key = await createKey({ dataDir, scope: 'admin' });
    const service = await startChild(join(sources, 'bench/children/service.ts'), [dataDir]);
    services.push(service);
    return populate(service, key);
  };
  try {
    checkOut(join(folder, 'source'));
    const then = await start(join(folder, 'source'));
    const now = await start(root);
    return {
      beforeGetPersonRatio: await compare(now, then, ({ service, headers, person }) => ({
        url: `${service.url}/api/v2/person/${person}`,
        headers,
      })),
      beforeListPeopleRatio: await compare(now, then, ({ service, headers }) => ({
        url: `${service.url}/api/v2/person`,
        headers,
      })),
      beforePostPersonRatio: await compare(now, then, ({ service, headers }) => ({
        url: `${service.url}/api/v2/person`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"name":"Grace Hopper","username":"grace-[<id>]","email":"grace-[<id>]@example.com"}',
      })),
    };
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
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

async function populate(service: ServerChild, key: server.NewKey): Promise<Side> {
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret, connections });
  const add = (index: number) =>
    client.call('createPerson', {
      body: { name: `Person ${index}`, email: `person-${index}@example.com`, username: `person-${index}` },
    });
  const [first] = await Promise.all(Array.from({ length: people }, (_, index) => add(index)));
  await client.close();
  const headers = { authorization: `Basic ${Buffer.from(`${key.id}@api:${key.secret}`).toString('base64')}` };
  return { service, headers, person: first?.id ?? '' };
}

/** @returns the median over all turns of the ratio now ÷ then, in requests for the same processor time */
async function compare(
  now: Side,
  then: Side,
  of: (side: Side) => Omit<Load, 'connections' | 'seconds'>,
): Promise<number> {
  const run = async (side: Side, duration: number): Promise<number> => {
    const begun = side.service.cpu();
    const { requestsPerSecond } = await load({ ...of(side), connections, seconds: duration });
    return (requestsPerSecond * duration) / (side.service.cpu() - begun);
  };
  await run(now, 2);
  await run(then, 2);
  const ratios: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    // Each goes first in turn.
    const [a, b] = turn % 2 === 0 ? [now, then] : [then, now];
    const [first, second] = [await run(a, seconds), await run(b, seconds)];
    ratios.push(turn % 2 === 0 ? first / second : second / first);
  }
  return round(median(ratios), 3);
}
