import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SnapshotSlots } from '../../../server/snapshot/slots.ts';

describe('slots for snapshots', () => {
  it('let a key have two and all have four, and the next one in once one is over', async () => {
    const slots = new SnapshotSlots();
    const own = [await slots.take('a'), await slots.take('a')];
    let begun = 0;
    const third = slots.take('a').then((release) => {
      begun += 1;
      return release;
    });
    const others = [await slots.take('b'), await slots.take('c')];
    assert.equal(begun, 0);
    own[0]?.();
    own[0]?.();
    const release = await third;
    assert.equal(begun, 1);
    for (const done of [release, own[1], ...others]) done?.();
    const again = await Promise.all(['a', 'a', 'b', 'b'].map((key) => slots.take(key)));
    assert.equal(again.length, 4);
  });

  it('let one key have half of the places to wait, so that others wait too', async () => {
    const slots = new SnapshotSlots({ all: 1, waiting: 4, waitMs: 60_000 });
    const release = await slots.take('a');
    const own = [slots.take('a'), slots.take('a')];
    await assert.rejects(slots.take('a'), { code: 'too_many_requests' });
    const other = slots.take('b');
    release();
    for (const one of [...own, other]) (await one)();
  });

  it('refuse one that waited too long, and more than may wait', async () => {
    const slots = new SnapshotSlots({ all: 1, waiting: 1, waitMs: 20 });
    await slots.take('a');
    const waiting = slots.take('b');
    await assert.rejects(slots.take('c'), { code: 'too_many_requests' });
    await assert.rejects(waiting, { code: 'too_many_requests' });
  });
});
