import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CustomObject, projectionOf } from '../../../operator/resources/custom-object.ts';
import { NamespaceQuota } from '../../../operator/resources/namespace-quota.ts';
import { Cache } from '../../../operator/runtime/cache.ts';

let version = 0;

function person(namespace: string, name: string, spec: object = { username: name }): CustomObject {
  version += 1;
  const metadata = { namespace, name, uid: `${namespace}/${name}`, resourceVersion: String(version) };
  return projectionOf('Person')({ metadata, spec } as never);
}

const many = (namespace: string, count: number): CustomObject[] =>
  Array.from({ length: count }, (_, index) => person(namespace, `p${index}`));

function setUp(most: number) {
  let now = 0;
  const quota = new NamespaceQuota(most, { elapsed: () => now });
  const open = () => {
    const room = quota.openCache();
    const gone: { key: string; isDeleted: boolean | undefined }[] = [];
    const cache = new Cache<CustomObject>(({ key, after, isDeleted }) => {
      if (after === undefined) gone.push({ key, isDeleted });
    }, room);
    const list = (objects: readonly CustomObject[], takesMs = 0): void => {
      const listing = cache.list();
      for (const object of objects) listing.add(object);
      now += takesMs;
      listing.end(String(version));
    };
    return { room, cache, gone, list };
  };
  return {
    quota,
    open,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('what is kept of a namespace', () => {
  it('has a bound, in a list and in a watch, and other namespaces have their own', () => {
    const { quota, open } = setUp(10);
    const { cache, list } = open();
    list([...many('crowd', 50), ...many('team', 9)]);
    assert.equal(cache.size(), 19);
    for (const object of many('crowd', 80).slice(50)) cache.changed(object);
    cache.changed(person('team', 'ada'));
    assert.equal(cache.size(), 20);
    assert.deepEqual([...quota.crowdedNamespaces()], ['crowd']);
    assert.ok(!quota.isCrowded('team'));
  });

  it('has one bound for all kinds', () => {
    const { quota, open } = setUp(10);
    const [one, other] = [open(), open()];
    one.list(many('crowd', 6));
    other.list(many('crowd', 6));
    assert.equal(one.cache.size() + other.cache.size(), 10);
    assert.equal(quota.unitsOf('crowd'), 10);
  });

  it('counts a large object as several, and leaves one out that grows beyond the bound, which is no deletion', () => {
    const { quota, open } = setUp(10);
    const { cache, gone, list } = open();
    list(many('crowd', 5));
    cache.changed(person('crowd', 'p0', { username: 'x'.repeat(40_000) }));
    assert.deepEqual(gone, [{ key: 'crowd/p0', isDeleted: false }]);
    assert.ok(quota.isCrowded('crowd'));
  });

  it('is listed again once something of it is gone, of whatever kind, and not more often than lists may take', () => {
    const { quota, open, pass } = setUp(10);
    const [roles, people] = [open(), open()];
    roles.list(many('crowd', 5));
    people.list(many('crowd', 20), 100);
    assert.ok(!people.room.isListDue);
    const first = roles.cache.get('crowd/p0');
    assert.ok(first);
    roles.cache.deleted(first);
    assert.ok(!people.room.isListDue, 'it had just been listed');
    pass(2_000);
    assert.ok(people.room.isListDue);
    assert.ok(!roles.room.isListDue, 'nothing of it was left out');
    people.list(many('crowd', 6));
    assert.ok(!quota.isCrowded('crowd'));
    assert.ok(!people.room.isListDue);
  });

  it('is listed again once an object is gone that was left out', () => {
    const { open, pass } = setUp(10);
    const { cache, room, list } = open();
    const all = many('crowd', 12);
    list(all);
    pass(1);
    cache.deleted(all[11] as CustomObject);
    assert.ok(room.isListDue);
  });
});
