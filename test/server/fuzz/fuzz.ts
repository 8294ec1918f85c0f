import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, revokeKey } from '@rolecall/server';
import { createRandom, type Random } from '../../support/random.ts';
import { basic, temporaryFolder } from '../support/service.ts';
import { makeBroken } from './broken-http.ts';
import { type FuzzedRequest, makeRequest, type Surroundings } from './requests.ts';

export interface FuzzReport {
  /** How many answers had each status; `closed` for connections that were closed instead. */
  readonly statuses: Record<string, number>;
  /** What must not be, with the request that led to it. */
  readonly faults: string[];
}

const workers = 32;
/** Longer than the service waits for a request itself. */
const hangMs = 60_000;
/** One in so many requests is broken at the level of the connection. */
const brokenShare = 0.1;
/** A client that goes on sending, one byte at a time, is cut off after ten seconds: only a few of these. */
const mostSlow = 20;

interface Target {
  readonly url: URL;
  readonly agent: Agent;
  readonly around: Surroundings;
  readonly report: FuzzReport;
}

/** Sends so many requests to a service in a process of its own, and says what became of them. */
export async function fuzz(count: number, seed: number): Promise<FuzzReport> {
  const dataDir = await temporaryFolder();
  const around = await makeSurroundings(dataDir);
  const child = fork(path.join(import.meta.dirname, 'serve-fuzzed.ts'), [dataDir], {
    execArgv: ['--conditions=source'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  after(() => child.kill('SIGKILL'));
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
  let ended: string | undefined;
  child.once('exit', (code, signal) => (ended = String(code ?? signal)));
  const [url] = (await once(child, 'message')) as [string];
  const report: FuzzReport = { statuses: {}, faults: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: workers });
  const target: Target = { url: new URL(url), agent, around, report };
  let sent = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const random = createRandom(seed * 1000 + worker);
      while (sent < count && ended === undefined && report.faults.length < 20) {
        sent += 1;
        await sendOne(random, target);
      }
    }),
  );
  await Promise.all(Array.from({ length: Math.min(mostSlow, Math.ceil(count / 1000)) }, () => sendSlowly(target)));
  agent.destroy();
  if (ended !== undefined) report.faults.push(`the service ended by itself (${ended}): ${log.slice(-2000)}`);
  else await assertWell(target, child);
  // What the log calls an error is a defect, or a database that could not be reached.
  for (const line of log.split('\n')) if (line.includes('the service failed')) report.faults.push(line.slice(0, 2000));
  return report;
}

async function assertWell({ url, around }: Target, child: ReturnType<typeof fork>): Promise<void> {
  const [authorization = ''] = around.authorizations;
  for (const where of ['/healthz', '/readyz', '/api/v2/person', '/api/v2/data-source']) {
    assert.equal((await fetch(new URL(where, url), { headers: { authorization } })).status, 200, where);
  }
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
}

async function makeSurroundings(dataDir: string): Promise<Surroundings> {
  const where = { dataDir, environment: {} };
  const admin = await createKey({ ...where, scope: 'admin' });
  const read = await createKey({ ...where, scope: 'read' });
  const revoked = await createKey({ ...where, scope: 'admin' });
  await revokeKey({ ...where, id: revoked.id });
  const file = path.join(await temporaryFolder(), 'target.db');
  await writeFile(file, '');
  return {
    authorizations: [admin, read, revoked, { ...admin, secret: 'wrong' }].map(basic),
    known: new Map(),
    uris: [
      `sqlite://${file}`,
      'postgresql://u:p@127.0.0.1:1/x',
      'mysql://u:p@127.0.0.1:1/x',
      'oracle://h',
      'postgresql://',
      '',
    ],
  };
}

async function sendOne(random: Random, target: Target): Promise<void> {
  const [authorization = ''] = target.around.authorizations;
  if (random.chance(brokenShare)) {
    const broken = makeBroken(random, authorization);
    const text = Buffer.concat(broken.parts).toString('latin1').slice(0, 500);
    const answered = await sendParts(target.url, broken.parts, broken.pauseMs, broken.leaves);
    if (answered === undefined) target.report.faults.push(`no end after ${hangMs} ms: ${JSON.stringify(text)}`);
    else for (const status of statusesIn(answered)) note(target, status, () => JSON.stringify(text));
    return;
  }
  const made = makeRequest(random, target.around);
  try {
    const { status, text } = await exchange(made, target);
    note(target, status, () => `${describe(made)} was answered ${text.slice(0, 500)}`);
    if (status === 200) remember(made, text, target.around);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where the service answers before all of the body has come it closes the connection, which may be a reset.
    if (['ECONNRESET', 'EPIPE', 'HPE_INVALID_CONSTANT'].includes(code ?? '')) count(target.report, 'closed');
    else target.report.faults.push(`${describe(made)}: ${String(error)}`);
  }
}

function describe({ method, path: where, headers, body }: FuzzedRequest): string {
  const { authorization: _secret, ...shown } = headers;
  return `${method} ${where.slice(0, 300)} ${JSON.stringify(shown).slice(0, 300)} ${body?.toString().slice(0, 500) ?? ''}`;
}

function note({ report }: Target, status: number, about: () => string): void {
  count(report, String(status));
  // 503 is for an execute when hundreds of queries wait.
  if (status >= 500 && status !== 503) report.faults.push(`${status}: ${about()}`);
}

function count({ statuses }: FuzzReport, status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

function exchange(made: FuzzedRequest, { url, agent }: Target): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { method, path: where, headers, body } = made;
    const length = body === undefined ? {} : { 'content-length': body.length };
    const sent = request(
      { agent, host: url.hostname, port: url.port, method, path: where, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      },
    );
    sent.setTimeout(hangMs, () => sent.destroy(new Error(`no answer within ${hangMs} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** @returns all that came back until the connection ended, or was left; undefined where it did not end */
function sendParts(url: URL, parts: readonly Buffer[], pauseMs: number, leaves: boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    let received = '';
    const limit = setTimeout(() => {
      socket.destroy();
      resolve(undefined);
    }, hangMs);
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(limit);
      resolve(received);
    });
    void (async () => {
      for (const part of parts) {
        if (!socket.writable) break;
        socket.write(part);
        await sleep(pauseMs);
      }
      if (leaves) socket.destroy();
      // Half closed: what the service has to say still comes, and then it closes too.
      else socket.end();
    })();
  });
}

/** One byte after the other, until the service has had enough. */
async function sendSlowly(target: Target): Promise<void> {
  const [authorization = ''] = target.around.authorizations;
  const head = ['POST /api/v2/role HTTP/1.1', 'host: x', `authorization: ${authorization}`, 'content-length: 1000000'];
  const bytes = [...Buffer.from(`${head.join('\r\n')}\r\n\r\n`)].map((byte) => Buffer.of(byte));
  const slow = [...bytes, ...Array.from({ length: 2000 }, () => Buffer.from(' '))];
  const answered = await sendParts(target.url, slow, 100, false);
  if (answered === undefined) target.report.faults.push('a slow client was not cut off');
  else for (const status of statusesIn(answered)) note(target, status, () => 'a slow client');
}

/** Of all answers of a connection, those to requests that came one behind the other too. */
function statusesIn(received: string): number[] {
  const found = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return found;
}

/** Keeps identifiers of what was made, for later requests. */
function remember({ operation }: FuzzedRequest, text: string, { known }: Surroundings): void {
  const name = madeBy[operation];
  if (name === undefined) return;
  const answer = JSON.parse(text) as Record<string, unknown>;
  const id = answer['id'] ?? answer['queryId'];
  const ids = known.get(name) ?? [];
  ids.push(String(id));
  // The newest: most of the older ones have been deleted by now.
  known.set(name, ids.slice(-30));
}

const madeBy: Readonly<Record<string, string>> = {
  createPerson: 'person',
  createRole: 'role',
  createDataSource: 'dataSource',
  createPermission: 'permission',
  createSnippet: 'snippet',
  createSnippetVersion: 'snippetVersion',
  executeCommands: 'query',
};
