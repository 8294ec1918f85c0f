import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { type ServerChild, startChild } from './children/child.ts';
import type { OpenLoopRequest, OpenLoopResult } from './children/open-loop.ts';
import { OpenLoop } from './clients/open-loop.ts';
import { percentile, type Report, round } from './report/report.ts';

/** ROLECALL_BENCH_SECONDS makes a short run of it, to see that it works. */
const seconds = Number(process.env['ROLECALL_BENCH_SECONDS'] ?? 20);
const stepSeconds = Math.min(seconds, 4);
const sizes = { people: 1000, roles: 50, dataSources: 10 };

/** From which rate on to look for the ceiling, in requests a second, and how near to it to come. */
const search = { first: 200, factor: 1.5, refinements: 3, most: 50_000 };
/** The limits of keeping up: no failure, nearly all answered in time, and no one waited longer than this, in milliseconds. */
const sustained = { share: 0.97, p99: 500 };

type Drive = (rate: number, seconds: number) => Promise<OpenLoopResult>;

/** The service under requests that come at a constant rate, whether or not it keeps up (no coordinated omission). */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const key = await createKey({ dataDir: folder, scope: 'admin' });
  const service = await startChild('service.ts', [folder]);
  using generator = await OpenLoop.start();
  try {
    const requests = await prepare(service.url, key);
    const authorization = `Basic ${Buffer.from(`${key.id}@api:${key.secret}`).toString('base64')}`;
    return await measure(service, (rate, duration) =>
      generator.send({ url: service.url, authorization, requests, rate, seconds: duration }),
    );
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(service: ServerChild, drive: Drive): Promise<Report> {
  await drive(search.first, stepSeconds);
  const ceiling = await findCeiling(drive);
  const half = await at(service, drive, ceiling * 0.5);
  const near = await at(service, drive, ceiling * 0.9);
  return {
    name: 'load',
    figures: {
      ceilingPerSecond: Math.round(ceiling),
      halfP50Ms: half.p50,
      halfP99Ms: half.p99,
      halfP999Ms: half.p999,
      nearP50Ms: near.p50,
      nearP99Ms: near.p99,
      nearP999Ms: near.p999,
      halfEventLoopP99Ms: half.eventLoopP99,
      nearEventLoopP99Ms: near.eventLoopP99,
      halfFailed: half.failed,
      nearFailed: near.failed,
      generatorLateP99Ms: round(Math.max(half.late, near.late)),
    },
    notes: {
      ceilingPerSecond: `the highest rate at which all is answered, and 99 % within ${sustained.p99} ms, for ${stepSeconds} s`,
      halfP50Ms: `at half the ceiling, for ${seconds} s: from when a request was due until it was answered`,
      nearP50Ms: 'the same at 0.9 of the ceiling',
      halfEventLoopP99Ms: "the service's event loop delay",
      nearEventLoopP99Ms: 'the same at 0.9 of the ceiling',
      halfFailed: 'requests that were not answered with 200',
      generatorLateP99Ms: 'how late the generator sent: what it adds to all times above',
    },
    bounds: {
      halfEventLoopP99Ms: ['under', 50],
      nearEventLoopP99Ms: ['under', 50],
    },
  };
}

async function at(service: ServerChild, drive: Drive, rate: number) {
  await service.status();
  const { latencies, failed, lateP99 } = await drive(rate, seconds);
  const { eventLoopP99Ms } = await service.status();
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => round(percentile(latencies, share)));
  return {
    ...{ p50: p50 ?? 0, p99: p99 ?? 0, p999: p999 ?? 0 },
    ...{ failed, late: lateP99, eventLoopP99: round(eventLoopP99Ms) },
  };
}

/** The rate goes up until the service does not keep up, and then between the last two. */
async function findCeiling(drive: Drive): Promise<number> {
  let [low, high] = [0, Infinity];
  for (let rate = search.first; rate < search.most && high === Infinity; rate *= search.factor) {
    if (await keepsUp(drive, rate)) low = rate;
    else high = rate;
  }
  for (let step = 0; step < search.refinements && high < Infinity; step += 1) {
    const middle = (low + high) / 2;
    if (await keepsUp(drive, middle)) low = middle;
    else high = middle;
  }
  return low;
}

async function keepsUp(drive: Drive, rate: number): Promise<boolean> {
  const { sent, failed, latencies, seconds: elapsed } = await drive(rate, stepSeconds);
  return failed === 0 && sent / elapsed >= rate * sustained.share && percentile(latencies, 0.99) <= sustained.p99;
}

/**
 * Fills a workspace, and returns the requests to send: mostly reads, like those of Terraform and the operator, a few lists,
 * and one write in five.
 */
async function prepare(url: string, key: { id: string; secret: string }): Promise<OpenLoopRequest[]> {
  const client = createClient({ url, keyId: key.id, keySecret: key.secret, connections: 16 });
  const made = async (count: number, make: (index: number) => Promise<{ id: string }>): Promise<string[]> =>
    (await Promise.all(Array.from({ length: count }, (_, index) => make(index)))).map(({ id }) => id);
  const people = await made(sizes.people, (index) =>
    client.call('createPerson', {
      body: { name: `Person ${index}`, email: `p${index}@example.com`, username: `p${index}` },
    }),
  );
  const roles = await made(sizes.roles, (index) => client.call('createRole', { body: { name: `role ${index}` } }));
  const sources = await made(sizes.dataSources, (index) =>
    client.call('createDataSource', { body: { name: `Source ${index}`, configUri: `postgresql://u@db${index}/x` } }),
  );
  await Promise.all(
    people.map((person, index) =>
      client.call('addRolePerson', { params: { role: roles[index % roles.length] ?? '', person } }),
    ),
  );
  await client.close();
  return mix((index) => ({
    person: people[index % people.length] ?? '',
    role: roles[index % roles.length] ?? '',
    source: sources[index % sources.length] ?? '',
  }));
}

/** A thousand requests; each hundred of them is the same mix, in the same scattered order. */
function mix(pick: (index: number) => { person: string; role: string; source: string }): OpenLoopRequest[] {
  return Array.from({ length: 1000 }, (_, index) => {
    const { person, role, source } = pick(index * 7);
    // 37 and 100 have no common factor: the kinds come scattered, and each in its share.
    const kind = (index * 37) % 100;
    const write = index % 200 < 100;
    if (kind < 50) return { method: 'GET', path: `/api/v2/person/${person}` };
    if (kind < 62) return { method: 'GET', path: `/api/v2/person/${person}/data-source` };
    if (kind < 72) return { method: 'GET', path: `/api/v2/role/${role}/person` };
    if (kind < 78) return { method: 'GET', path: `/api/v2/data-source/${source}/detail` };
    if (kind < 80) return { method: 'GET', path: '/api/v2/person' };
    if (kind < 88) return { method: write ? 'PUT' : 'DELETE', path: `/api/v2/role/${role}/data-source/${source}` };
    if (kind < 94) return { method: 'PUT', path: `/api/v2/person/${person}/${write ? 'lock' : 'unlock'}` };
    if (kind < 97) {
      const path = `/api/v2/data-source/${source}/permission/person/${person}`;
      return { method: 'POST', path, body: 'duration=3600' };
    }
    return { method: 'POST', path: '/api/v2/person', body: 'name=New&username=new-[n]&email=new-[n]%40example.com' };
  });
}
