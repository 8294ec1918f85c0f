import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Cache } from '../../../operator/runtime/cache.ts';
import { DisconnectedError, StatusError } from '../../../operator/runtime/errors.ts';
import { type KubeObject, runReflector } from '../../../operator/runtime/reflector.ts';
import { type CollectionServer, collectionServer } from '../support/collection-server.ts';
import { fakeClock, settle } from '../support/fake-clock.ts';

/** A reflector of a scripted server, at rest once `settle` returns. */
async function setUp(
  test: TestContext,
  names: readonly string[] = ['a', 'b'],
  prepare: (server: CollectionServer) => void = () => undefined,
) {
  const clock = fakeClock();
  const server = collectionServer();
  for (const name of names) server.put(name);
  prepare(server);
  const changes: string[] = [];
  const cache = new Cache<KubeObject>(({ key, before, after }) => {
    const what = before === undefined ? 'added' : after === undefined ? 'deleted' : 'changed';
    changes.push(`${what} ${key.replace('default/', '')}`);
  });
  const errors: Error[] = [];
  let listAgain = (): void => undefined;
  const stop = new AbortController();
  const done = runReflector(
    {
      session: server.session,
      path: '/things',
      project: (object) => object,
      sink: cache,
      clock,
      random: () => 0.5,
      onError: (error) => errors.push(error),
      onWatch: (again) => {
        listAgain = again;
      },
    },
    stop.signal,
  );
  test.after(async () => {
    stop.abort();
    await done;
    assert.equal(clock.timers(), 0, 'timers are left behind');
  });
  await settle();
  const names_ = (): string[] => [...cache.values()].map(({ metadata }) => metadata.name).sort();
  const again = async (): Promise<void> => {
    listAgain();
    await settle();
  };
  return { clock, server, cache, changes, errors, names: names_, stop, done, again };
}

describe('a reflector', () => {
  it('hands over what it lists as it comes, and is synced only at its end', async (test) => {
    const listed = Promise.withResolvers<undefined>();
    const { cache, server, names } = await setUp(test, ['a', 'b', 'c'], (one) => {
      one.listed = listed.promise;
    });
    assert.deepEqual([names(), cache.isSynced()], [['a', 'b', 'c'], false]);
    listed.resolve(undefined);
    await settle();
    assert.equal(cache.isSynced(), true);
    assert.equal(server.requests[0], '/things');
  });

  it('keeps what it knows where a list breaks off, and lists again', async (test) => {
    const { server, cache, errors, names, clock, again } = await setUp(test, ['a', 'b']);
    const listed = Promise.withResolvers<undefined>();
    server.listed = listed.promise;
    server.mute = true;
    server.remove('b');
    await again();
    listed.reject(new DisconnectedError('cut'));
    server.listed = Promise.resolve();
    await settle();
    assert.deepEqual([names(), errors.map(({ message }) => message)], [['a', 'b'], ['cut']]);
    await clock.advance(10_000);
    assert.deepEqual([names(), cache.size()], [['a'], 1]);
  });

  it('lists again when it is asked to, without an error or a pause', async (test) => {
    const { server, errors, names, again } = await setUp(test);
    server.mute = true;
    server.put('c');
    const lists = server.lists();
    await again();
    assert.equal(server.lists(), lists + 1);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    assert.deepEqual(errors, []);
  });

  it('asks for what is stored now, never for what some cache remembers', async (test) => {
    const { server } = await setUp(test);
    assert.doesNotMatch(server.requests[0]!, /resourceVersion/);
  });

  it('follows what is added, changed and deleted', async (test) => {
    const { server, changes } = await setUp(test);
    server.put('c');
    server.put('a');
    server.remove('b');
    assert.deepEqual(changes, ['added a', 'added b', 'added c', 'changed a', 'deleted b']);
  });

  it('goes on where a watch was ended, without a new list and without a gap', async (test) => {
    const { clock, server, names, errors } = await setUp(test);
    server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '102' } } });
    await clock.advance(5_000);
    server.mute = true;
    server.put('c');
    server.remove('a');
    server.mute = false;
    server.end();
    await settle();
    assert.deepEqual(names(), ['b', 'c']);
    assert.equal(server.lists(), 1);
    assert.deepEqual(errors, []);
  });

  it('goes on where a connection was lost, after a wait that grows with each failure', async (test) => {
    const { clock, server, names, errors } = await setUp(test);
    server.failures.push(...Array.from({ length: 3 }, () => new DisconnectedError('refused')));
    server.end(new DisconnectedError('cut'));
    await settle();
    server.put('c');
    const watches = () => server.requests.filter((path) => path.includes('watch=1')).length;
    assert.equal(watches(), 1);
    // 0.75 of 800 ms, 1.6 s, 3.2 s and 6.4 s, or less where the first failure counts once.
    await clock.advance(15_000);
    assert.equal(watches(), 5);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    assert.equal(errors.length, 4);
    assert.equal(server.lists(), 1);
  });

  it('uses the version of a bookmark, so that a quiet collection is not listed again', async (test) => {
    const { clock, server } = await setUp(test);
    server.compact();
    server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '103' } } });
    await clock.advance(5_000);
    server.end();
    await settle();
    assert.equal(server.lists(), 1);
    assert.match(server.requests.at(-1)!, /resourceVersion=103/);
  });

  it('lists again when its version is too old, and tells what was deleted meanwhile', async (test) => {
    const { clock, server, changes, names } = await setUp(test);
    server.mute = true;
    server.remove('a');
    server.put('c');
    server.compact();
    server.mute = false;
    await clock.advance(5_000);
    server.end();
    await settle();
    assert.equal(server.lists(), 2);
    assert.deepEqual(names(), ['b', 'c']);
    assert.deepEqual(changes.slice(2), ['deleted a', 'added c']);
  });

  it('lists again when a watch says so by an event', async (test) => {
    const { server, names } = await setUp(test);
    server.mute = true;
    server.put('c');
    server.mute = false;
    server.send({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } });
    await settle();
    assert.equal(server.lists(), 2);
    assert.deepEqual(names(), ['a', 'b', 'c']);
  });

  it('lists again after a watch that stays open and sends nothing, not even a bookmark', async (test) => {
    const { clock, server, names, errors } = await setUp(test);
    server.mute = true;
    server.put('c');
    await clock.advance(149_000);
    assert.deepEqual(names(), ['a', 'b']);
    await clock.advance(5_000);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    assert.match(errors[0]!.message, /silent/);
  });

  it('keeps a watch for which bookmarks come', async (test) => {
    const { clock, server, errors } = await setUp(test);
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.advance(60_000);
      server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '102' } } });
    }
    assert.equal(server.requests.length, 2);
    assert.deepEqual(errors, []);
  });

  it('finds within the hour what a watch never told', async (test) => {
    const { clock, server, names } = await setUp(test);
    server.mute = true;
    server.put('c');
    server.mute = false;
    for (let minute = 0; minute < 70; minute += 1) {
      await clock.advance(60_000);
      server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '103' } } });
      if (minute % 5 === 4) server.end();
      await settle();
    }
    assert.deepEqual(names(), ['a', 'b', 'c']);
    assert.equal(server.lists(), 2);
  });

  it('is not led back by an event that comes late', async (test) => {
    const { server, cache, changes } = await setUp(test);
    const old = { metadata: { ...cache.get('default/a')!.metadata } };
    server.put('a');
    const fresh = cache.get('default/a');
    server.send({ type: 'MODIFIED', object: old });
    assert.equal(cache.get('default/a'), fresh);
    server.remove('a');
    server.send({ type: 'MODIFIED', object: fresh });
    assert.equal(cache.get('default/a'), undefined);
    assert.deepEqual(changes.slice(2), ['changed a', 'deleted a']);
  });

  it('tells that an object is gone when its name is used for another one', async (test) => {
    const { server, changes } = await setUp(test);
    server.mute = true;
    server.remove('a');
    server.mute = false;
    server.put('a', 'another uid');
    assert.deepEqual(changes.slice(2), ['deleted a', 'added a']);
  });

  it('waits as long as the server asks before it lists again', async (test) => {
    const { clock, server, errors } = await setUp(test);
    server.failures.push(
      new StatusError(410, 'Expired', 'old'),
      new StatusError(429, 'TooManyRequests', 'busy', 20_000),
    );
    await clock.advance(5_000);
    server.end();
    await clock.advance(19_900);
    assert.equal(server.lists(), 2);
    await clock.advance(200);
    assert.equal(server.lists(), 3);
    assert.equal(errors.length, 1);
  });

  it('ends without a word when it is told to', async (test) => {
    const { stop, done, errors } = await setUp(test);
    stop.abort();
    await done;
    assert.deepEqual(errors, []);
  });
});
