import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cache, type CacheChange } from '../../../operator/runtime/cache.ts';
import type { KubeObject } from '../../../operator/runtime/reflector.ts';

const at = (resourceVersion: string): KubeObject => ({ metadata: { name: 'ada', uid: 'u1', resourceVersion } });

describe('a cache', () => {
  it('keeps the object of a write when the watch tells of it again, and gives it as what was before the next change', () => {
    const changes: CacheChange<KubeObject>[] = [];
    const cache = new Cache<KubeObject>((change) => void changes.push(change));
    const listing = cache.list();
    listing.add(at('10'));
    listing.end('10');
    const [written, next] = [at('11'), at('12')];
    cache.wrote(written);
    cache.changed(at('11'));
    assert.equal(cache.get('ada'), written);
    cache.changed(next);
    assert.equal(changes.length, 3);
    assert.equal(changes[2]?.before, written);
    assert.equal(changes[2].after, next);
  });

  it('takes the answer that lets an object go, which has the version of before', () => {
    const changes: CacheChange<KubeObject>[] = [];
    const cache = new Cache<KubeObject>((change) => void changes.push(change));
    cache.changed(at('10'));
    const answer = at('10');
    cache.letGo(answer);
    cache.changed(at('10'));
    assert.equal(cache.get('ada'), answer);
    assert.deepEqual(
      changes.map(({ after }) => after),
      [changes[0]?.after, answer],
    );
    cache.deleted(at('11'));
    cache.letGo(answer);
    assert.equal(cache.get('ada'), undefined);
  });

  it('gives each object of a first list as soon as its page is read, and those of a later list once all of it is', () => {
    const changes: CacheChange<KubeObject>[] = [];
    const cache = new Cache<KubeObject>((change) => void changes.push(change));
    const failed = cache.list();
    failed.add(at('10'));
    assert.equal(changes.length, 1);
    assert.equal(cache.isSynced(), false);
    // A list that failed half-way is read again, without what is gone by then.
    const first = cache.list();
    first.end('11');
    assert.deepEqual([changes.length, changes[1]?.after, cache.isSynced()], [2, undefined, true]);
    const later = cache.list();
    later.add(at('12'));
    assert.equal(changes.length, 2);
    later.end('12');
    assert.equal(changes.length, 3);
  });
});
