import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseOverload, refuseShare, Shares } from '../../../../server/http/limits/load.ts';
import { watchEventLoop } from '../../../../server/metrics/event-loop.ts';
import { Refusal } from '../../../../server/refusal.ts';

const limits = { maxInFlight: 100, maxEventLoopDelay: 50 };

function isRefused(inFlight: number, eventLoopDelay: number): boolean {
  let told = 0;
  const load = { inFlight: () => inFlight, eventLoopDelay: () => eventLoopDelay };
  try {
    refuseOverload(load, limits, () => {
      told += 1;
    });
    assert.equal(told, 0);
    return false;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.headers, told], ['unavailable', { 'retry-after': '1' }, 1]);
    return true;
  }
}

describe('a request', () => {
  it('is refused where too many are worked on', () => {
    assert.equal(isRefused(100, 0), false);
    assert.equal(isRefused(101, 0), true);
  });

  it('is refused where the event loop is late, unless it is not requests that make it late', () => {
    assert.equal(isRefused(65, 50), false);
    assert.equal(isRefused(65, 51), true);
    assert.equal(isRefused(64, 5000), false);
  });
});

describe('the delay of the event loop', () => {
  it('is seen when the loop stands still, and forgotten when it runs again', async () => {
    const seen: number[] = [];
    const watch = watchEventLoop((seconds) => seen.push(seconds));
    await sleep(50);
    const end = performance.now() + 600;
    while (performance.now() < end);
    while (Math.max(...seen) < 0.5) await sleep(1);
    assert.ok(watch.delay() > 400, String(watch.delay()));
    // On a machine where others are busy too, the loop is never quite on time.
    while (watch.delay() > 100) await sleep(20);
    watch.stop();
    const count = seen.length;
    await sleep(100);
    assert.equal(seen.length, count);
  });
});

describe('answers that clients do not take', () => {
  const mebibyte = 1024 * 1024;
  const response = (closed: string[], name: string) =>
    Object.assign(Object.create(ServerResponse.prototype) as ServerResponse, { destroy: () => closed.push(name) });

  it('take no slot, and count for their address until they are taken', () => {
    const shares = new Shares(1000 * mebibyte);
    const answers = Array.from({ length: 65 }, () => response([], ''));
    let share = { inFlight: 0, unread: 0 };
    for (const answer of answers) {
      share = shares.begin(answer, '10.0.0.1');
      shares.answered(answer, mebibyte);
    }
    assert.deepEqual([shares.inFlight, share.unread], [0, 65 * mebibyte]);
    assert.throws(() => {
      refuseShare(share, 512, () => undefined);
    }, /does not read/);
    for (const answer of answers) shares.end(answer);
    refuseShare(share, 512, () => undefined);
    assert.deepEqual(share, { inFlight: 0, unread: 0 });
  });

  it('are closed where all together take too much, those first that have waited longest', () => {
    const closed: string[] = [];
    const shares = new Shares(3 * mebibyte);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const answer = response(closed, name);
      shares.begin(answer, name);
      shares.answered(answer, mebibyte);
    }
    assert.deepEqual(closed, ['a', 'b']);
  });
});
