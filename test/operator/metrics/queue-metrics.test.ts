import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorMetrics } from '@rolecall/operator';
import { WorkQueue } from '../../../operator/runtime/work-queue.ts';
import { valueOf } from '../../server/support/metrics.ts';
import { fakeClock } from '../support/fake-clock.ts';

const labels = '{name="rolecall",controller="rolecall"}';

describe("the metrics of a queue, under controller-runtime's names", () => {
  it('tell how many wait, how long, and how long the longest has been worked on', async () => {
    const clock = fakeClock();
    const metrics = new OperatorMetrics(clock, 'api.test', '1.2.3');
    const queue = new WorkQueue({ clock, random: () => 1, baseMs: 100, maxMs: 100, observer: metrics.queue });
    const value = (name: string, more = labels) => valueOf(metrics.render(), `${name}${more}`);
    for (const key of ['a', 'a', 'b']) queue.add(key);
    queue.add('b');
    queue.add('c');
    queue.add('c');
    assert.equal(value('workqueue_adds_total'), 3);
    assert.equal(value('workqueue_depth', '{name="rolecall",controller="rolecall",priority=""}'), 3);
    await clock.advance(2_000);
    assert.equal(await queue.next(), 'a');
    await clock.advance(500);
    assert.equal(await queue.next(), 'b');
    await clock.advance(250);
    assert.equal(value('workqueue_longest_running_processor_seconds'), 0.75);
    assert.equal(value('workqueue_unfinished_work_seconds'), 1);
    assert.equal(value('workqueue_queue_duration_seconds_sum'), 4.5);
    queue.retry('a');
    queue.done('a');
    assert.equal(value('workqueue_retries_total'), 1);
    assert.equal(value('workqueue_work_duration_seconds_sum'), 0.75);
    await clock.advance(100);
    assert.equal(value('workqueue_adds_total'), 4);
    queue.close();
  });

  it('count what succeeded and what failed, and how long it took', async () => {
    const clock = fakeClock();
    const metrics = new OperatorMetrics(clock, 'api.test', '1.2.3');
    const work = metrics.timed(async (key) => {
      await clock.advance(300);
      if (key === 'bad') throw new Error('no');
    });
    await work('good');
    await assert.rejects(work('bad'), /no/);
    const page = metrics.render();
    const of = (name: string) => valueOf(page, name);
    assert.equal(of('controller_runtime_reconcile_total{controller="rolecall",result="success"}'), 1);
    assert.equal(of('controller_runtime_reconcile_total{controller="rolecall",result="error"}'), 1);
    assert.equal(of('controller_runtime_reconcile_errors_total{controller="rolecall"}'), 1);
    assert.equal(of('controller_runtime_reconcile_time_seconds_bucket{controller="rolecall",le="0.25"}'), 0);
    assert.equal(of('controller_runtime_reconcile_time_seconds_bucket{controller="rolecall",le="0.3"}'), 2);
  });
});
