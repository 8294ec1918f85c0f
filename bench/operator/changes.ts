/** An operator that runs: changes, deletions, a rotated password, and nothing at all. */

import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, round } from '../report/report.ts';
import { type Cluster, sideBySide } from './cluster.ts';
import { between, type Installed, team } from './installed.ts';
import type { OperatorProcess } from './process.ts';
import { isReady, patiently } from './ready.ts';
import { changes, names, objects, rate, seconds } from './size.ts';

export async function measureBurst({ cluster, calls }: Installed, operator: OperatorProcess) {
  const before = { calls: await calls(), status: await operator.status() };
  const waiting = new Set(names(changes));
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    if (object.metadata.generation > 1 && isReady(object)) waiting.delete(object.metadata.name);
    if (waiting.size === 0 && ended === 0) ended = at;
  });
  const started = Date.now();
  await sideBySide(names(changes), (name) => cluster.patch(team, 'Person', name, { spec: { locked: true } }));
  await patiently(() => ended !== 0);
  const perSecond = changes / ((ended - started) / 1000);
  const spent = between(before.status, await operator.status());
  return {
    burstPerSecond: round(perSecond),
    burstCallsAChange: round(((await calls()) - before.calls) / changes, 3),
    burstWritesAChange: round(spent.writes / changes, 3),
    burstCpuSeconds: round(spent.cpuSeconds),
  };
}

/** Changes at a constant rate, whether or not the operator keeps up. */
export async function measureConstant({ cluster }: Installed, operator: OperatorProcess) {
  const before = await operator.status();
  const count = Math.min(rate * Math.min(seconds, 30), objects - changes);
  const latencies = await timeChanges(cluster, team, names(count, changes));
  return {
    constantP50Ms: round(percentile(latencies, 0.5)),
    constantP99Ms: round(percentile(latencies, 0.99)),
    constantMaxMs: round(Math.max(...latencies)),
    constantCpuSeconds: round(between(before, await operator.status()).cpuSeconds),
  };
}

/** Changes people one after the other, and times each from when that was due until a watch tells that it is ready again. */
export async function timeChanges(cluster: Cluster, namespace: string, people: readonly string[]): Promise<number[]> {
  const due = new Map<string, number>();
  const latencies: number[] = [];
  await using _following = await cluster.follow(namespace, 'Person', ({ object }, at) => {
    const since = due.get(object.metadata.name);
    if (since === undefined || object.metadata.generation < 2 || !isReady(object)) return;
    due.delete(object.metadata.name);
    latencies.push(at - since);
  });
  await sleep(200);
  const started = Date.now();
  const sent: Promise<void>[] = [];
  for (const [index, name] of people.entries()) {
    const moment = started + (index * 1000) / rate;
    if (Date.now() < moment) await sleep(moment - Date.now());
    due.set(name, moment);
    sent.push(cluster.patch(namespace, 'Person', name, { spec: { locked: true } }));
  }
  await Promise.all(sent);
  await patiently(() => due.size === 0);
  return latencies;
}

export async function measureSettled({ calls }: Installed, operator: OperatorProcess) {
  await sleep(2_000);
  const before = { calls: await calls(), status: await operator.status() };
  await sleep(seconds * 1000);
  const spent = between(before.status, await operator.status());
  return {
    settledCalls: (await calls()) - before.calls,
    settledRequests: spent.requests,
    settledWrites: spent.writes,
    settledCpuSeconds: round(spent.cpuSeconds, 3),
  };
}

export async function measureSecret({ cluster, client }: Installed) {
  const secrets = `/api/v1/namespaces/${team}/secrets`;
  const put = (password: string, method: 'POST' | 'PATCH') =>
    cluster.session.request({
      method,
      path: method === 'POST' ? secrets : `${secrets}/db`,
      body: { metadata: { name: 'db' }, stringData: { password } },
      contentType: method === 'POST' ? 'application/json' : 'application/merge-patch+json',
    });
  await put('first', 'POST');
  const uri = 'postgresql://reader@127.0.0.1:5432/billing';
  const passwordFrom = { secretKeyRef: { name: 'db', key: 'password' } };
  await cluster.create(team, [{ kind: 'DataSource', name: 'db', spec: { alias: 'db', uri, passwordFrom } }]);
  let id = '';
  await patiently(async () => {
    id = (await client.call('listDataSources', {})).find(({ alias }) => alias === 'db')?.id ?? '';
    return id !== '';
  });
  const times: number[] = [];
  for (const password of ['second', 'third', 'fourth']) {
    const started = Date.now();
    await put(password, 'PATCH');
    await patiently(async () => {
      const { configUri } = await client.call('getDataSourceDetail', { params: { dataSource: id } });
      return configUri.includes(password);
    });
    times.push((Date.now() - started) / 1000);
  }
  return { secretSeconds: round(Math.max(...times)) };
}

/** @param locked how many of those who leave are locked: deleting such a person takes one call, deleting another one takes two */
export async function measureDeletions(
  { cluster, calls }: Installed,
  operator: OperatorProcess,
  leaving: readonly string[],
  locked: number,
) {
  const before = { calls: await calls(), status: await operator.status() };
  const waiting = new Set(leaving);
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ type, object }, at) => {
    if (type === 'DELETED') waiting.delete(object.metadata.name);
    if (waiting.size === 0 && ended === 0) ended = at;
  });
  await sleep(100);
  const started = Date.now();
  await sideBySide(leaving, (name) => cluster.remove(team, 'Person', name));
  await patiently(() => ended !== 0);
  const spent = between(before.status, await operator.status());
  return {
    deletionSeconds: round((ended - started) / 1000),
    deletionCallsRatio: round(((await calls()) - before.calls) / (2 * leaving.length - locked), 4),
    deletionWritesAnObject: round(spent.writes / leaving.length, 3),
  };
}
