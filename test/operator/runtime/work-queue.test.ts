import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WorkQueue } from '../../../operator/runtime/work-queue.ts';
import { runWorkers } from '../../../operator/runtime/workers.ts';
import { fakeClock, settle } from '../support/fake-clock.ts';

function setUp(random = () => 1) {
  const clock = fakeClock();
  return { clock, queue: new WorkQueue({ clock, random, baseMs: 100, maxMs: 60_000 }) };
}

/** What comes out of a queue at once, until nothing does; each key is done at once. */
async function drain(queue: ReturnType<typeof setUp>['queue']): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length() > 0) {
    const key = (await queue.next())!;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('a work queue', () => {
  it('holds a key once, however often it is added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    assert.deepEqual(await drain(queue), ['a', 'b']);
  });

  it('never hands a key to two workers, and hands it out again when it was added meanwhile', async () => {
    const { queue } = setUp();
    queue.add('a');
    assert.equal(await queue.next(), 'a');
    queue.add('a');
    queue.add('a');
    assert.equal(queue.length(), 0);
    queue.done('a');
    assert.deepEqual(await drain(queue), ['a']);
    assert.equal(queue.length(), 0);
  });

  it('hands out all that waits at once, and each of it again only once it is done', () => {
    const { queue } = setUp();
    for (const key of ['a', 'b']) queue.add(key);
    assert.deepEqual(queue.takeAll(), ['a', 'b']);
    queue.add('a');
    assert.deepEqual(queue.takeAll(), []);
    assert.equal(queue.isBusy('a'), true);
    queue.done('a');
    assert.deepEqual(queue.takeAll(), ['a']);
  });

  it('knows what waits for its back-off', async () => {
    const { clock, queue } = setUp();
    queue.retry('a');
    assert.equal(queue.isBackingOff('a'), true);
    await clock.advance(100);
    assert.equal(queue.isBackingOff('a'), false);
    queue.retry('a');
    queue.forget('a');
    assert.equal(queue.isBackingOff('a'), false);
  });

  it('lets what failed wait longer each time, each key for itself, until it is forgotten', async () => {
    const { clock, queue } = setUp();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => queue.retry('a')),
      [100, 200, 400, 800],
    );
    assert.equal(queue.retry('b'), 100);
    await clock.advance(100);
    assert.deepEqual(await drain(queue), ['b']);
    for (let count = 0; count < 20; count += 1) queue.retry('a');
    assert.equal(queue.retry('a'), 60_000);
    queue.forget('a');
    assert.equal(queue.retry('a'), 100);
  });

  it('takes up to half of a back-off away at random', () => {
    assert.equal(setUp(() => 0).queue.retry('a'), 50);
    assert.equal(setUp(() => 0.5).queue.retry('a'), 75);
  });

  it('waits as long as a server asks', async () => {
    const { clock, queue } = setUp();
    assert.equal(queue.retry('a', 5_000), 5_000);
    await clock.advance(4_999);
    assert.equal(queue.length(), 0);
    await clock.advance(1);
    assert.deepEqual(await drain(queue), ['a']);
  });

  it('does not try again what succeeded meanwhile', async () => {
    const { clock, queue } = setUp();
    queue.retry('a');
    queue.add('a');
    assert.deepEqual(await drain(queue), ['a']);
    queue.forget('a');
    await clock.advance(60_000);
    assert.equal(queue.length(), 0);
  });

  it('takes the earliest of several later moments', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    await clock.advance(100);
    assert.deepEqual(await drain(queue), ['a']);
    await clock.advance(1_000);
    assert.equal(queue.length(), 0);
  });

  it('lets nothing out once it is closed, and leaves no timer behind', async () => {
    const { clock, queue } = setUp();
    const waiting = queue.next();
    queue.addAfter('later', 10);
    queue.retry('failed');
    queue.close();
    queue.add('a');
    assert.deepEqual([await waiting, await queue.next()], [undefined, undefined]);
    assert.equal(clock.timers(), 0);
  });
});

describe('workers', () => {
  it('work on several keys side by side, and on one key one at a time', async () => {
    const { clock, queue } = setUp();
    const under = new Map<string, number>();
    let most = 0;
    const work = async (key: string): Promise<void> => {
      under.set(key, (under.get(key) ?? 0) + 1);
      assert.equal(under.get(key), 1, `${key} is worked on twice at a time`);
      most = Math.max(most, [...under.values()].filter((count) => count > 0).length);
      await settle();
      under.set(key, 0);
    };
    const failed: Error[] = [];
    const done = runWorkers({ queue, count: 3, work, onFailure: (_key, error) => failed.push(error) });
    for (let round = 0; round < 5; round += 1) {
      for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
      await settle();
    }
    for (let turns = 0; turns < 10; turns += 1) await settle();
    queue.close();
    await done;
    assert.deepEqual(failed, []);
    assert.equal(most, 3);
    assert.equal(clock.timers(), 0);
  });

  it('try again what failed, without holding up anything else', async () => {
    const { clock, queue } = setUp();
    const seen: string[] = [];
    const work = (key: string): Promise<void> => {
      seen.push(key);
      return key === 'bad' && seen.length < 4 ? Promise.reject(new Error('no')) : Promise.resolve();
    };
    const failures: [string, string, number][] = [];
    const onFailure = (key: string, error: Error, ms: number): void => void failures.push([key, error.message, ms]);
    const done = runWorkers({ queue, count: 1, work, onFailure });
    queue.add('bad');
    queue.add('good');
    await clock.advance(100);
    await clock.advance(200);
    queue.close();
    await done;
    assert.deepEqual(seen, ['bad', 'good', 'bad', 'bad']);
    assert.deepEqual(failures, [
      ['bad', 'no', 100],
      ['bad', 'no', 200],
    ]);
  });
});
