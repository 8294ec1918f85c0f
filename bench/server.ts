import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { request } from 'undici';
import { type ServerChild, startChild } from './children/child.ts';
import { type Load, load, type Throughput } from './clients/throughput.ts';
import { median, type Report, round } from './report/report.ts';

const rounds = 5;
const seconds = 3;
const connections = 32;
const peopleInList = 10_000;

/**
 * The service against a bare Fastify route in the same run, in turns, so that a machine that slows down slows both.
 */
export async function run(): Promise<Report> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const key = await createKey({ dataDir, scope: 'admin' });
  const headers = { authorization: `Basic ${Buffer.from(`${key.id}@api:${key.secret}`).toString('base64')}` };
  const service = await startChild('service.ts', [dataDir]);
  const bare = await startChild('bare-fastify.ts');
  try {
    return await measure(service, bare, headers, key);
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(
  service: ServerChild,
  bare: ServerChild,
  headers: Record<string, string>,
  key: { id: string; secret: string },
): Promise<Report> {
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret, connections });
  const atStart = (await service.status()).rss;
  const first = await client.call('createPerson', {
    body: { name: 'Ada Lovelace', email: 'ada@example.com', username: 'ada' },
  });
  const one = await compare(
    { url: `${service.url}/api/v2/person/${first.id}`, headers, connections, seconds },
    { url: `${bare.url}/person/${first.id}`, headers, connections, seconds },
  );
  await Promise.all(Array.from({ length: peopleInList - 1 }, (_, index) => addPerson(client, index)));
  await client.close();
  const list = await request(`${service.url}/api/v2/person`, { headers });
  const bytes = Buffer.from(await list.body.arrayBuffer());
  await request(`${bare.url}/people`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
  }).then(({ body }) => body.dump());
  const many = await compare(
    { url: `${service.url}/api/v2/person`, headers, connections, seconds },
    { url: `${bare.url}/person`, headers, connections, seconds },
  );
  const atRest = (await service.status()).rss;
  const json = { ...headers, 'content-type': 'application/json' };
  const body = '{"name":"Grace Hopper","username":"grace-[<id>]","email":"grace-[<id>]@example.com"}';
  const post = await compare(
    { url: `${service.url}/api/v2/person`, method: 'POST', headers: json, body, connections, seconds },
    { url: `${bare.url}/person`, method: 'POST', headers: json, body, connections, seconds },
  );
  return {
    name: 'server',
    figures: {
      getPersonRatio: round(one.requests),
      postPersonRatio: round(post.requests),
      listPeopleBytesRatio: round(many.bytes),
      getPersonPerSecond: Math.round(one.ours.requestsPerSecond),
      postPersonPerSecond: Math.round(post.ours.requestsPerSecond),
      listPeopleMiBPerSecond: round(many.ours.bytesPerSecond / 2 ** 20, 1),
      memoryAtStartMiB: round(atStart / 2 ** 20, 1),
      memoryAtRestMiB: round(atRest / 2 ** 20, 1),
    },
    notes: {
      getPersonRatio: 'GET one person: requests a second ÷ a bare Fastify route',
      postPersonRatio: 'POST a person: requests a second ÷ a bare Fastify route',
      listPeopleBytesRatio: `GET ${peopleInList} people: bytes a second ÷ the same bytes from memory by Fastify`,
      memoryAtStartMiB: 'resident memory of the service before its first request',
      memoryAtRestMiB: `resident memory with ${peopleInList} people, after the reads`,
    },
    bounds: {
      getPersonRatio: ['at least', 0.6],
      postPersonRatio: ['at least', 0.25],
      listPeopleBytesRatio: ['at least', 0.5],
    },
  };
}

async function addPerson(client: ReturnType<typeof createClient>, index: number): Promise<void> {
  await client.call('createPerson', {
    body: { name: `Person ${index}`, email: `person-${index}@example.com`, username: `person-${index}` },
  });
}

/** Loads both in turns, and takes the median of the ratios of each turn. */
async function compare(ours: Load, peer: Load) {
  await load({ ...ours, seconds: 2 });
  await load({ ...peer, seconds: 2 });
  const turns: { ours: Throughput; peer: Throughput }[] = [];
  for (let turn = 0; turn < rounds; turn += 1) turns.push({ ours: await load(ours), peer: await load(peer) });
  const ratios = (figure: keyof Throughput) => median(turns.map((turn) => turn.ours[figure] / turn.peer[figure]));
  const middle = (figure: keyof Throughput) => median(turns.map((turn) => turn.ours[figure]));
  return {
    requests: ratios('requestsPerSecond'),
    bytes: ratios('bytesPerSecond'),
    ours: { requestsPerSecond: middle('requestsPerSecond'), bytesPerSecond: middle('bytesPerSecond') },
  };
}
