import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorMetrics, systemClock } from '@rolecall/operator';
import { Timers } from '../../../operator/status/timers.ts';
import { ServiceClock } from '../../../operator/workspace/service-clock.ts';
import { valueOf } from '../../server/support/metrics.ts';
import { until } from '../../support/kubernetes/admin-client.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

const minute = 60_000;
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
const utc = (time: number): string => new Date(time).toUTCString();

describe('the clock of a service', () => {
  it('is that of this process where its answers do not contradict it', () => {
    const clock = fakeClock(1_000_700);
    const service = new ServiceClock(clock);
    service.heard(utc(1_000_000), 200);
    service.heard(undefined, 200);
    service.heard('yesterday', 200);
    assert.deepEqual([service.skewMs, service.describe()], [0, '']);
  });

  it('is told by a Date to the second, and by more of them better', () => {
    const clock = fakeClock(1_000_000);
    const service = new ServiceClock(clock);
    service.heard(utc(1_000_000 + 10 * minute), 100);
    assert.equal(service.skewMs, 10 * minute);
    assert.match(service.describe(), /about 10 min ahead of the operator's/);
    service.heard(utc(1_000_000 - 10 * minute), 100);
    assert.ok(Math.abs(service.skewMs + 10 * minute) <= 1_100);
    assert.match(service.describe(), /about 10 min behind the operator's/);
  });

  it('moves what waits for its time of day', async () => {
    const clock = fakeClock(1_000_000);
    const service = new ServiceClock(clock);
    const due: string[] = [];
    using timers = new Timers(service, (key) => due.push(key));
    service.onChange = () => {
      timers.restart();
    };
    timers.set('night', 1_000_000 + 20 * minute);
    service.heard(utc(1_000_000 + 10 * minute), 0);
    await clock.advance(10 * minute - 1);
    assert.deepEqual(due, []);
    await clock.advance(1);
    assert.deepEqual(due, ['night']);
  });
});

describe('a permission of a service whose clock is wrong by ten minutes', () => {
  const suite = useInstallation();

  async function start(skewMs: number) {
    const workspace = await suite.startWorkspace();
    workspace.proxy.now = () => Date.now() + skewMs;
    const space = await suite.all.namespace({}, workspace);
    const metrics = new OperatorMetrics(systemClock, 'api.test', '1.2.3');
    await suite.operate({ namespace: space.name, metrics });
    await space.create('Person', 'ada', { name: 'Ada', email: 'ada@example.com' });
    await space.create('DataSource', 'billing', { uri });
    // One moment for all of them: a window is a whole number of seconds.
    const now = Date.now();
    const [begun, coming, expiresAt] = [-5, 5, 60].map((minutes) => new Date(now + minutes * minute).toISOString());
    await space.create('Permission', 'begun', { person: 'ada', dataSource: 'billing', startsAt: begun, expiresAt });
    await space.create('Permission', 'coming', { person: 'ada', dataSource: 'billing', startsAt: coming, expiresAt });
    for (const name of ['begun', 'coming']) await space.reason('Permission', name, 'Converged');
    const states = [];
    for (const name of ['begun', 'coming']) states.push((await space.get('Permission', name))?.status?.['state']);
    const message = async () => readyOf(await space.get('Workspace', 'workspace'))?.message ?? '';
    const skew = valueOf(metrics.render(), `rolecall_service_clock_skew_seconds{workspace="${space.name}/workspace"}`);
    return { states, message, skew };
  }

  it('is Active as soon as the service says so', async () => {
    const { states, message, skew } = await start(10 * minute);
    assert.deepEqual(states, ['Active', 'Active']);
    await until(
      async () => (await message()).includes("about 10 min ahead of the operator's"),
      'what the Workspace says',
    );
    assert.ok(Math.abs((skew ?? 0) - 600) < 3, String(skew));
  });

  it('is Pending until the service gives it', async () => {
    const { states, message, skew } = await start(-10 * minute);
    assert.deepEqual(states, ['Pending', 'Pending']);
    await until(
      async () => (await message()).includes("about 10 min behind the operator's"),
      'what the Workspace says',
    );
    assert.ok(Math.abs((skew ?? 0) + 600) < 3, String(skew));
  });
});
