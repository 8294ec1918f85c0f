import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, type Report, round } from '../report.ts';
import { type Seen, sideBySide } from './cluster.ts';
import { between, type Installed, install, person, team } from './installed.ts';
import type { OperatorProcess, OperatorStatus } from './process.ts';

/** ROLECALL_BENCH_OBJECTS and ROLECALL_BENCH_SECONDS make a short run of it, to see that it works. */
const objects = Number(process.env['ROLECALL_BENCH_OBJECTS'] ?? 10_000);
const seconds = Number(process.env['ROLECALL_BENCH_SECONDS'] ?? 60);
const changes = Math.round(objects * 0.3);
const deletions = Math.round(objects * 0.1);
const drifted = 20;
/** Changes a second, in the middle of which nobody may wait for long. */
const rate = 100;

/** What a Go operator on controller-runtime took for 10,000 Person objects, on another day on a machine of this kind. */
const go = {
  coldSeconds: 38.8,
  driftSeconds: 1.33,
  newSeconds: 0.75,
  peakMiB: 89,
  burstPerSecond: 230,
  constantP99Ms: 29,
  killedSeconds: 17.1,
  endedSeconds: 1.4,
  deletionSeconds: 4.0,
};

type Figures = Record<string, number>;
const nameOf = (index: number): string => `p-${index}`;
const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => nameOf(from + index));

export async function measureOperator(folder: string): Promise<Report> {
  await using installed = await install(folder);
  const floorPerSecond = await measureFloor(installed);
  const figures: Figures = { floorPerSecond: round(floorPerSecond) };
  say(`floor: ${round(floorPerSecond)} writes a second`);
  const add = (more: Figures): void => {
    Object.assign(figures, more);
    say(JSON.stringify(more));
  };
  const { cluster } = installed;
  await cluster.create(team, names(objects).map(person));
  add(await measureCold(installed, floorPerSecond));
  const operator = installed.startOperator();
  add(await measureRestart(installed, operator));
  add(await measureBurst(installed, operator));
  add(await measureConstant(installed, operator));
  add(await measureSettled(installed, operator));
  add(await measureSecret(installed));
  add(await measureDeletions(installed, operator));
  add(await measurePermissions(installed));
  add(await measureFailover(installed, operator));
  return { name: 'operator', figures, notes };
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Bare writes to the same API server, two an object, as many side by side as the operator has. */
async function measureFloor({ cluster }: Installed): Promise<number> {
  const count = Math.min(objects, 2_000);
  await cluster.create('floor', names(count).map(person));
  const started = performance.now();
  await sideBySide(names(count), async (name) => {
    await cluster.patch('floor', 'Person', name, { metadata: { finalizers: ['rolecall.dev/workspace'] } });
    const lastTransitionTime = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
    const message = 'The workspace is as declared.';
    const condition = { type: 'Ready', status: 'True', reason: 'Converged', message, observedGeneration: 1 };
    const status = { observedGeneration: 1, id: 'floor', conditions: [{ ...condition, lastTransitionTime }] };
    await cluster.patch('floor', 'Person', name, { status }, '/status');
  });
  return (2 * count) / ((performance.now() - started) / 1000);
}

async function measureCold({ cluster, calls, startOperator }: Installed, floorPerSecond: number) {
  const before = await calls();
  const { operator, seconds } = await allReady(cluster, startOperator);
  const after = await operator.status();
  await operator.stop();
  const made = await calls();
  return {
    coldSeconds: round(seconds),
    coldToFloor: round(seconds / ((2 * objects) / floorPerSecond)),
    coldToGo: round(seconds / ((go.coldSeconds * objects) / 10_000)),
    coldCallsRatio: round((made - before) / (objects + 1), 4),
    coldWritesAnObject: round(between(none, after).writes / objects, 3),
    coldCpuSeconds: round(after.cpuSeconds),
    coldPeakMiB: round(after.peakMiB, 1),
  };
}

const none: OperatorStatus = { requests: {}, cpuSeconds: 0, peakMiB: 0 };

/** Starts an operator, and counts the objects that become ready, as a watch tells of them. */
async function allReady(cluster: Installed['cluster'], startOperator: Installed['startOperator']) {
  const ready = new Set<string>();
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    if (isReady(object)) ready.add(object.metadata.name);
    if (ready.size >= objects && ended === 0) ended = at;
  });
  const started = Date.now();
  const operator = startOperator();
  await patiently(() => ended !== 0);
  return { operator, seconds: (ended - started) / 1000 };
}

function isReady({ metadata, status }: Seen['object']): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true
  );
}

async function patiently(holds: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await holds())) await sleep(everyMs);
}

async function measureRestart({ cluster, client, calls }: Installed, operator: OperatorProcess) {
  const people = await client.call('listPeople', {});
  const locked = people.slice(0, drifted);
  // The operator has been started, and does not lead before this is done: it waits for what is left of its predecessor.
  await Promise.all(locked.map(({ id }) => client.call('lockPerson', { params: { person: id } })));
  const before = await calls();
  const started = Date.now();
  const corrected = (async () => {
    const left = new Set(locked.map(({ id }) => id));
    await patiently(async () => {
      for (const id of left) {
        const { isLocked } = await client.call('getPerson', { params: { person: id } });
        if (isLocked) return false;
        left.delete(id);
      }
      return true;
    });
    return (Date.now() - started) / 1000;
  })();
  await sleep(500);
  const newSeconds = await readyAfter(cluster, 'in-the-middle');
  const driftSeconds = await corrected;
  await sleep(1_000);
  const status = await operator.status();
  return {
    restartDriftSeconds: round(driftSeconds),
    restartNewSeconds: round(newSeconds),
    restartPeakMiB: round(status.peakMiB, 1),
    restartCpuSeconds: round(status.cpuSeconds),
    // The new object is written twice.
    restartUnaskedWrites: between(none, status).writes - 2,
    restartCalls: (await calls()) - before,
  };
}

/** How long a new person takes from before its creation until it is ready. */
async function readyAfter(cluster: Installed['cluster'], name: string): Promise<number> {
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    if (object.metadata.name === name && isReady(object) && ended === 0) ended = at;
  });
  await sleep(50);
  const started = Date.now();
  await cluster.create(team, [person(name)]);
  await patiently(() => ended !== 0, 5);
  return (ended - started) / 1000;
}

async function measureBurst({ cluster, calls }: Installed, operator: OperatorProcess) {
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
    burstToGo: round(perSecond / go.burstPerSecond),
    burstCallsAChange: round(((await calls()) - before.calls) / changes, 3),
    burstWritesAChange: round(spent.writes / changes, 3),
    burstCpuSeconds: round(spent.cpuSeconds),
  };
}

/** Changes at a constant rate, whether or not the operator keeps up; each is timed from when it was due. */
async function measureConstant({ cluster }: Installed, operator: OperatorProcess) {
  const before = await operator.status();
  const count = Math.min(rate * Math.min(seconds, 30), objects - changes);
  const due = new Map<string, number>();
  const latencies: number[] = [];
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    const since = due.get(object.metadata.name);
    if (since === undefined || object.metadata.generation < 2 || !isReady(object)) return;
    due.delete(object.metadata.name);
    latencies.push(at - since);
  });
  await sleep(200);
  const started = Date.now();
  const sent: Promise<void>[] = [];
  for (const [index, name] of names(count, changes).entries()) {
    const moment = started + (index * 1000) / rate;
    if (Date.now() < moment) await sleep(moment - Date.now());
    due.set(name, moment);
    sent.push(cluster.patch(team, 'Person', name, { spec: { locked: true } }));
  }
  await Promise.all(sent);
  await patiently(() => due.size === 0);
  return {
    constantP50Ms: round(percentile(latencies, 0.5)),
    constantP99Ms: round(percentile(latencies, 0.99)),
    constantMaxMs: round(Math.max(...latencies)),
    constantCpuSeconds: round(between(before, await operator.status()).cpuSeconds),
  };
}

async function measureSettled({ calls }: Installed, operator: OperatorProcess) {
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

async function measureSecret({ cluster, client }: Installed) {
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

async function measureDeletions({ cluster, calls }: Installed, operator: OperatorProcess) {
  const leaving = names(deletions, objects - deletions);
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
  // Who is locked takes one call to delete, and who is not takes two.
  const locked = leaving.filter((name) => Number(name.slice(2)) < changes + rate * Math.min(seconds, 30)).length;
  return {
    deletionSeconds: round((ended - started) / 1000),
    deletionCallsRatio: round(((await calls()) - before.calls) / (2 * deletions - locked), 4),
    deletionWritesAnObject: round(spent.writes / deletions, 3),
  };
}

/** Permissions that begin one after the other: how late their state says so. */
async function measurePermissions({ cluster }: Installed) {
  const holders = Math.min(100, Math.max(1, changes));
  const begins = Date.now() + 5_000 + (objects / 100) * 1_000;
  const spread = Math.max(10_000, objects * 6);
  const starts = new Map<string, number>();
  const resources = Array.from({ length: objects }, (_, index) => {
    const startsAt = Math.round((begins + (index * spread) / objects) / 1000) * 1000 + (index % 1000);
    starts.set(`t-${index}`, startsAt);
    const window = { startsAt: new Date(startsAt).toISOString(), duration: '8760h' };
    return {
      kind: 'Permission',
      name: `t-${index}`,
      spec: { person: nameOf(index % holders), dataSource: 'db', ...window },
    };
  });
  const late: number[] = [];
  await using _following = await cluster.follow(team, 'Permission', ({ object }, at) => {
    const { name } = object.metadata;
    const startsAt = starts.get(name);
    if (startsAt === undefined || object.status?.state !== 'Active') return;
    starts.delete(name);
    late.push(at - startsAt);
  });
  await cluster.create(team, resources);
  await patiently(() => starts.size === 0, 100);
  return {
    permissionP99Ms: round(percentile(late, 0.99)),
    permissionMaxMs: round(Math.max(...late)),
    permissionEarliestMs: round(Math.min(...late)),
  };
}

async function measureFailover({ cluster, startOperator }: Installed, first: OperatorProcess) {
  const second = startOperator();
  await sleep(4_000);
  await first.stop('SIGKILL');
  const killedSeconds = await readyAfter(cluster, 'after-the-kill');
  const third = startOperator();
  await sleep(4_000);
  const [endedSeconds] = await Promise.all([readyAfter(cluster, 'after-the-end'), second.stop()]);
  await third.stop();
  return { killedSeconds: round(killedSeconds), endedSeconds: round(endedSeconds) };
}

const elsewhere = (figure: number, unit: string): string => `Go, measured elsewhere: ${figure} ${unit}`;

const notes: Record<string, string> = {
  floorPerSecond: 'writes a second to this API server by node:http2 alone, as many side by side as the operator has',
  coldSeconds: `nothing in the workspace, until all ${objects} are Ready (${elsewhere(go.coldSeconds, 's for 10,000')})`,
  coldToFloor: 'the same ÷ as many bare writes as it takes, two an object',
  coldToGo: 'the same ÷ what the Go operator took elsewhere for as many (at most 1.15, on such a machine)',
  coldCallsRatio: 'calls the service received ÷ the fewest: one an object and one a collection (1.00)',
  coldWritesAnObject: 'what was written to the API server, an object (2)',
  restartDriftSeconds: `settled, until ${drifted} drifted people are corrected (within 3; ${elsewhere(go.driftSeconds, 's')})`,
  restartNewSeconds: `a new object made in the middle of that, until Ready (within 1.5; ${elsewhere(go.newSeconds, 's')})`,
  restartPeakMiB: `the most resident memory (150 at most; ${elsewhere(go.peakMiB, 'MiB')})`,
  restartUnaskedWrites: 'what was written to the API server beyond the new object (0)',
  burstPerSecond: `${changes} changes at once, a second (200 or more; ${elsewhere(go.burstPerSecond, '')})`,
  burstCallsAChange: 'calls of the service a change (1)',
  burstWritesAChange: 'writes to the API server a change (1)',
  constantP99Ms: `${rate} changes a second, from due to observed (under 60; ${elsewhere(go.constantP99Ms, 'ms')})`,
  settledCalls: `calls of the service in ${seconds} s: one a collection that is in use and pass, one pass a minute`,
  settledRequests:
    'requests to the API server meanwhile: the renewals of the Lease, every 2 s, and watches that are opened anew',
  settledWrites: 'what else was written meanwhile (0)',
  settledCpuSeconds: 'what it computed meanwhile (0.5 at most for a minute)',
  secretSeconds: 'a rotated password, until the service has it, the longest of three (within 2)',
  deletionSeconds: `${deletions} deletions (1,000 within 5; ${elsewhere(go.deletionSeconds, 's')})`,
  deletionCallsRatio: 'calls ÷ the fewest (1.00)',
  permissionP99Ms: `${objects} permissions that begin: how late their state says so (within 1,000)`,
  killedSeconds: `the leader killed, until a new object is Ready (within 18; ${elsewhere(go.killedSeconds, 's')})`,
  endedSeconds: `the leader ended in order, until a new object is Ready (within 2; ${elsewhere(go.endedSeconds, 's')})`,
};
