import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, listAudit, type NewKey, verifyAudit } from '@rolecall/server';
import { Client } from 'undici';
import { basic, temporaryFolder } from '../support/service.ts';
import { type Ids, nextStep, nothing, observe, type State, type Step } from './mixed-load.ts';
import { startQueryLoad } from './query-load.ts';
import { getJson, postJson } from './requests.ts';
import { spareServices } from './spare-services.ts';

const clients = 6;
/** How many requests are answered between two kills at most. */
const mostAnswers = 60;

/** A client that sends one request after the other, and knows what it has sent. */
interface Worker {
  name: string;
  key: NewKey;
  state: State;
  /** Sent, and perhaps not done: the service was killed before it answered. */
  pending: Step | undefined;
  /** Operations that have certainly happened, in order. */
  history: string[];
  count: number;
}

export interface KillReport {
  kills: number;
  acknowledged: number;
  /** Requests that were under way at a kill, and had been carried out or not. */
  pendingDone: number;
  pendingNotDone: number;
  queries: number;
  auditEntries: number;
  /** Median time from the kill until the next service answers, in milliseconds. */
  restartMs: number;
}

/**
 * Starts a service, loads it, kills it at a random moment, starts it again on what is there, and looks whether that is
 * what each client was told, with at most the one request besides that was not answered. As often as asked.
 *
 * @param onProgress is told every hundred kills
 */
export async function killLoop(kills: number, onProgress?: (report: KillReport) => void): Promise<KillReport> {
  const dataDir = await temporaryFolder();
  const services = spareServices({ dataDir });
  const workers = await Promise.all(
    Array.from({ length: clients }, async (_, index): Promise<Worker> => {
      const key = await createKey({ dataDir, environment: {}, scope: 'write' });
      return { name: `client${index}`, key, state: nothing, pending: undefined, history: [], count: 0 };
    }),
  );
  const admin = await createKey({ dataDir, environment: {}, scope: 'admin' });
  const report: KillReport = {
    kills,
    acknowledged: 0,
    pendingDone: 0,
    pendingNotDone: 0,
    queries: 0,
    auditEntries: 0,
    restartMs: 0,
  };
  const restarts: number[] = [];
  try {
    let service = await services.start();
    const queries = await startQueryLoad(service.url, admin);
    const shared = { name: 'Shared', configUri: 'postgresql://u@db.invalid/x' };
    const { id: dataSource } = await postJson<{ id: string }>(service.url, admin, '/data-source', shared);
    let ids: Ids = new Map();
    for (let kill = 0; kill < kills; kill += 1) {
      const stop = new AbortController();
      const load = Promise.all([
        ...workers.map((worker) => work(worker, service.url, ids, dataSource, stop.signal, report)),
        queries.run(service.url, stop.signal),
      ]);
      load.catch(() => {
        stop.abort();
      });
      // By what was answered and not by time: on a slow machine nothing would have happened yet.
      const until = report.acknowledged + Math.random() * mostAnswers;
      while (report.acknowledged < until && !stop.signal.aborted) await sleep(1);
      await sleep(Math.random() * 5);
      await service.kill();
      stop.abort();
      await load;
      const killed = performance.now();
      service = await services.start();
      restarts.push(performance.now() - killed);
      ids = await verify(service.url, admin, workers, report);
      await queries.verify(service.url);
      if (kill % 100 === 99) onProgress?.({ ...report, kills: kill + 1, queries: queries.count() });
    }
    await service.kill();
    report.queries = queries.count();
  } finally {
    await services.close();
  }
  checkFile(path.join(dataDir, 'rolecall.db'));
  report.auditEntries = await checkAudit(dataDir, workers);
  report.restartMs = restarts.sort((a, b) => a - b)[Math.floor(restarts.length / 2)] ?? 0;
  return report;
}

/** Sends requests until the service is gone. */
async function work(
  worker: Worker,
  url: string,
  given: Ids,
  dataSource: string,
  signal: AbortSignal,
  report: KillReport,
): Promise<void> {
  const client = new Client(url);
  const ids = new Map(given);
  try {
    while (!signal.aborted) {
      worker.count += 1;
      const step = nextStep(worker.name, worker.state, ids, dataSource, Math.random, worker.count);
      worker.pending = step;
      const { status, body } = await send(client, worker.key, step).catch(() => ({ status: 0, body: '' }));
      if (status === 0) return;
      assert.equal(status, 200, `${step.method} ${step.path} answered ${status}: ${body}`);
      const { id } = JSON.parse(body) as { id?: string };
      if (id !== undefined) remember(ids, step, id);
      settle(worker, step);
      report.acknowledged += 1;
    }
  } finally {
    await client.destroy();
  }
}

function remember(ids: Map<string, string>, { operation, path: where, form, after }: Step, id: string): void {
  const name = form?.['username'] ?? form?.['name'];
  if (name !== undefined) ids.set(`${operation.replace('create', '').toLowerCase()}:${name}`, id);
  // A permission has no name: it goes by its person.
  const person = /\/permission\/person\/(.+)$/.exec(where)?.[1];
  const username = Object.keys(after.permissions).find((one) => ids.get(`person:${one}`) === person);
  if (username !== undefined) ids.set(`permission:${username}`, id);
}

function settle(worker: Worker, step: Step): void {
  worker.state = step.after;
  worker.history.push(step.operation);
  worker.pending = undefined;
}

async function send(client: Client, key: NewKey, { method, path: where, form }: Step) {
  const headers = {
    authorization: basic(key),
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const body = form === undefined ? null : new URLSearchParams(form).toString();
  const answer = await client.request({ method: method, path: `/api/v2${where}`, headers, body });
  return { status: answer.statusCode, body: await answer.body.text() };
}

/** @returns the ids of what is there */
async function verify(url: string, admin: NewKey, workers: readonly Worker[], report: KillReport): Promise<Ids> {
  const { ids, states } = await observe((where) => getJson(url, admin, where));
  for (const worker of workers) {
    const found = states.get(worker.name) ?? nothing;
    const { pending } = worker;
    if (pending === undefined) {
      assert.deepEqual(found, worker.state, `${worker.name}: not what was acknowledged`);
    } else if (isSame(found, pending.after)) {
      report.pendingDone += 1;
      settle(worker, pending);
    } else {
      assert.deepEqual(found, worker.state, `${worker.name}: neither with nor without ${pending.operation}`);
      report.pendingNotDone += 1;
      worker.pending = undefined;
    }
  }
  return ids;
}

function isSame(a: State, b: State): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

function checkFile(file: string): void {
  using store = new DatabaseSync(file, { readOnly: true });
  assert.deepEqual({ ...store.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  assert.deepEqual(store.prepare('PRAGMA foreign_key_check').all(), []);
}

/** The trail is whole, and has of each client exactly what happened, in order. */
async function checkAudit(dataDir: string, workers: readonly Worker[]): Promise<number> {
  const { entries, broken } = await verifyAudit({ dataDir, environment: {} });
  assert.equal(broken, undefined);
  const trail = await listAudit({ dataDir, environment: {}, query: { limit: entries } });
  const of = Map.groupBy(trail, ({ actor }) => actor.id);
  for (const { name, key, history } of workers) {
    const operations = (of.get(key.id) ?? []).map(({ operation }) => operation);
    assert.deepEqual(operations, history, `the trail of ${name}`);
  }
  return entries;
}
