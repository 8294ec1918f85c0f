import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@rolecall/api';
import { createKey, type NewKey } from '@rolecall/server';
import { type ServerChild, startChild } from '../children/child.ts';
import type { OpenLoopJob } from '../children/open-loop.ts';
import { OpenLoop } from '../clients/open-loop.ts';
import { median, percentile, round } from '../report/report.ts';
import { Visitor } from './visitor.ts';

const people = 40;
const password = 'correct horse battery';
/** Sign-ins and other requests a second, how long each part takes in seconds, and how often both are repeated. */
const [signIns, others, seconds, rounds] = [100, 200, 10, 3];
const [callbacks, connections] = [600, 32];
const email = 'ada[n]@example.com';

/** What sign-ins cost those who are in, and how many the service takes. */
export async function measureSignIn(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const key = await createKey({ dataDir: folder, scope: 'admin' });
  const provider = await startChild('openid-provider.ts', [email]);
  const issuer = {
    id: 'company',
    name: 'Company',
    issuer: provider.url,
    clientId: 'rolecall',
    scopes: ['openid', 'email'],
    claims: {},
    bindByEmail: true,
    twoFactor: false,
  };
  const service = await startChild('service.ts', [folder, JSON.stringify({ oidc: [issuer] })]);
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  try {
    for (let index = 0; index < 100; index += 1) {
      const body = { name: 'Ada', username: `ada${index}`, email: email.replace('[n]', String(index)) };
      const { id } = await client.call('createPerson', { body });
      if (index < people) await givePassword(service.url, client, id);
    }
    return { ...(await measureStorm(service, key)), ...(await measureFloor()), ...(await measureCallbacks(service)) };
  } finally {
    await client.close();
    await Promise.all([service.stop(), provider.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function givePassword(url: string, client: Client, person: string): Promise<void> {
  const { link } = await client.call('invitePerson', { params: { person }, body: { delivery: 'link' } });
  const visitor = new Visitor(url);
  await visitor.post('/enrolment', { token: String(link).split('#')[1] });
  await visitor.post('/factor', { password });
}

async function measureStorm(service: ServerChild, key: NewKey): Promise<Record<string, number>> {
  using generator = await OpenLoop.start();
  using visitors = await OpenLoop.start();
  const authorization = `Basic ${Buffer.from(`${key.id}@api:${key.secret}`).toString('base64')}`;
  const drive = async () => {
    const requests = [{ method: 'GET' as const, path: '/api/v2/role' }];
    await service.status();
    const { latencies } = await generator.send({ url: service.url, authorization, requests, rate: others, seconds });
    return { p99: percentile(latencies, 0.99), loop: (await service.status()).eventLoopP99Ms };
  };
  await drive();
  const turns = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await drive();
    const [storm, tried] = await Promise.all([drive(), visitors.send(signInsOf(service.url))]);
    turns.push({ idle, storm, checked: tried.latencies.length });
  }
  const checked = turns.reduce((sum, turn) => sum + turn.checked, 0);
  return {
    stormP99Ratio: round(median(turns.map(({ idle, storm }) => storm.p99 / idle.p99))),
    idleP99Ms: round(median(turns.map(({ idle }) => idle.p99)), 1),
    stormEventLoopP99Ms: round(median(turns.map(({ storm }) => storm.loop)), 1),
    stormPasswordsPerSecond: round(checked / (rounds * seconds), 1),
  };
}

/** What the machine's cores leave: the same load on a server that does nothing, while another process hashes passwords. */
async function measureFloor(): Promise<Record<string, number>> {
  using generator = await OpenLoop.start();
  using visitors = await OpenLoop.start();
  const bare = await startChild('bare-fastify.ts');
  const get = { method: 'GET' as const, path: '/person/ada' };
  const post = { method: 'POST' as const, path: '/person', body: JSON.stringify({ password }) };
  const part = { url: bare.url, authorization: '', contentType: 'application/json', seconds };
  const drive = async () =>
    percentile((await generator.send({ ...part, requests: [get], rate: others })).latencies, 0.99);
  try {
    await drive();
    const turns = [];
    for (let round = 0; round < rounds; round += 1) {
      const idle = await drive();
      const burner = await startChild('burner.ts');
      const [storm] = await Promise.all([drive(), visitors.send({ ...part, requests: [post], rate: signIns })]);
      await burner.stop();
      turns.push({ idle, storm });
    }
    return {
      floorStormP99Ratio: round(median(turns.map(({ idle, storm }) => storm / idle))),
      floorIdleP99Ms: round(median(turns.map(({ idle }) => idle)), 1),
    };
  } finally {
    await bare.stop();
  }
}

/** Sign-ins at a constant rate, with the right password, which costs the most. */
function signInsOf(url: string): OpenLoopJob {
  const requests = Array.from({ length: people }, (_, index) => ({
    method: 'POST' as const,
    path: '/person/v1/sign-in/password',
    body: JSON.stringify({ username: `ada${index}`, password }),
  }));
  return { url, authorization: '', contentType: 'application/json', requests, rate: signIns, seconds };
}

/** Browsers that come back from the provider, and are in. */
async function measureCallbacks(service: ServerChild): Promise<Record<string, number>> {
  const waiting: { visitor: Visitor; address: string }[] = [];
  for (let index = 0; index < callbacks; index += 1) {
    const visitor = new Visitor(service.url);
    const away = await visitor.location(`${service.url}/person/v1/sign-in/oidc/company`);
    waiting.push({ visitor, address: await visitor.location(away) });
  }
  const browse = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next.visitor.location(next.address);
  };
  const [begun, cpuBefore] = [performance.now(), service.cpu()];
  await Promise.all(Array.from({ length: connections }, browse));
  return {
    oidcCallbacksPerSecond: Math.round((callbacks * 1000) / (performance.now() - begun)),
    oidcCallbackCpuMs: round((service.cpu() - cpuBefore) / callbacks),
  };
}
