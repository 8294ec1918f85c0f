/** An operator that starts: with everything to make, with everything settled, and after another one. */

import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOfMachine } from '../children/usage.ts';
import { median, round } from '../report/report.ts';
import { between, type Installed, team } from './installed.ts';
import type { OperatorProcess, OperatorStatus } from './process.ts';
import { isReady, patiently, readyAfter } from './ready.ts';
import { drifted } from './size.ts';

/** @param count how many objects there are */
export async function measureCold({ cluster, calls, startOperator }: Installed, count: number) {
  const [before, busyBefore] = [await calls(), cpuOfMachine()];
  const { operator, seconds } = await allReady(cluster, startOperator, count);
  const after = await operator.status();
  const busy = cpuOfMachine() - busyBefore;
  await operator.stop();
  const made = await calls();
  return {
    coldSeconds: round(seconds),
    coldCallsRatio: round((made - before) / (count + 1), 4),
    coldWritesAnObject: round(between(none, after).writes / count, 3),
    coldCpuSeconds: round(after.cpuSeconds),
    coldOthersCpuSeconds: round(busy - after.cpuSeconds),
    coldPeakMiB: round(after.peakMiB, 1),
  };
}

const none: OperatorStatus = { requests: {}, cpuSeconds: 0, peakMiB: 0 };

/** Starts an operator, and counts the objects that become ready, as a watch tells of them. */
async function allReady(cluster: Installed['cluster'], startOperator: Installed['startOperator'], count: number) {
  const ready = new Set<string>();
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    if (isReady(object)) ready.add(object.metadata.name);
    if (ready.size >= count && ended === 0) ended = at;
  });
  const started = Date.now();
  const operator = startOperator();
  await patiently(() => ended !== 0);
  return { operator, seconds: (ended - started) / 1000 };
}

/** The operator that it starts stays. */
export async function measureRestart({ cluster, client, calls, startOperator }: Installed) {
  const people = await client.call('listPeople', {});
  const locked = people.slice(0, drifted);
  await Promise.all(locked.map(({ id }) => client.call('lockPerson', { params: { person: id } })));
  const before = await calls();
  const started = Date.now();
  const operator = startOperator();
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
  const { writes, events } = between(none, status);
  const figures = {
    restartDriftSeconds: round(driftSeconds),
    restartNewSeconds: round(newSeconds),
    restartPeakMiB: round(status.peakMiB, 1),
    restartCpuSeconds: round(status.cpuSeconds),
    restartReads: status.requests['GET'] ?? 0,
    // The new object is written twice.
    restartUnaskedWrites: writes - events - 2,
    restartEvents: events,
    restartCalls: (await calls()) - before,
  };
  return { operator, figures };
}

/** How often one leader ends and the next one follows. */
const ends = 3;

export async function measureFailover({ cluster, startOperator }: Installed, first: OperatorProcess) {
  let leader = startOperator();
  await sleep(4_000);
  await first.stop('SIGKILL');
  const killedSeconds = await readyAfter(cluster, 'after-the-kill');
  const endedSeconds: number[] = [];
  for (let end = 0; end < ends; end += 1) {
    const next = startOperator();
    await sleep(4_000);
    const [taken] = await Promise.all([readyAfter(cluster, `after-end-${end}`), leader.stop()]);
    endedSeconds.push(taken);
    leader = next;
  }
  await leader.stop();
  return { killedSeconds: round(killedSeconds), endedSeconds: round(median(endedSeconds)) };
}
