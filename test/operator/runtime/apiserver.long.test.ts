import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Cache } from '../../../operator/runtime/cache.ts';
import { systemClock } from '../../../operator/runtime/clock.ts';
import { connectionOf } from '../../../operator/runtime/connection.ts';
import { becomeLeader } from '../../../operator/runtime/leader-election.ts';
import { type KubeObject, type ReflectorOptions, runReflector } from '../../../operator/runtime/reflector.ts';
import { HttpSession, type KubeSession, type SessionOptions } from '../../../operator/runtime/session.ts';
import { requires } from '../../support/databases/parts.ts';
import { type AdminClient, adminClient, ask, until } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { type FaultProxy, startFaultProxy } from '../../support/kubernetes/fault-proxy.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('the runtime with a real API server, through faults', requires('kubernetes'), () => {
  let server: Apiserver;
  let client: AdminClient;
  let proxy: FaultProxy;
  const ends: (() => Promise<void>)[] = [];

  before(async () => {
    server = await startApiserver();
    client = adminClient(server);
    proxy = await startFaultProxy(server);
  });
  afterEach(async () => {
    proxy.fault = () => undefined;
    for (const end of ends.splice(0)) await end();
  });
  after(async () => {
    await proxy.stop();
    await client[Symbol.asyncDispose]();
    await server.stop();
  });

  async function open(more: Partial<SessionOptions> = {}): Promise<KubeSession> {
    const connection = await connectionOf(server.kubeconfigAt(proxy.url));
    const session = new HttpSession({ connection, clock: systemClock, userAgent: 'rolecall-test', ...more });
    ends.push(async () => {
      await session[Symbol.asyncDispose]();
    });
    return session;
  }

  /** A cache of the ConfigMaps, through the proxy. */
  async function follow(session: KubeSession, more: Partial<ReflectorOptions<KubeObject>> = {}) {
    const seen: string[] = [];
    const errors: Error[] = [];
    const cache = new Cache<KubeObject>(({ key, before, after: now }) => {
      seen.push(`${before === undefined ? '+' : now === undefined ? '-' : '~'}${key}`);
    });
    const stop = new AbortController();
    const done = runReflector(
      {
        session,
        path: configMaps,
        project: ({ metadata: { name, namespace = '', uid, resourceVersion } }) => ({
          metadata: { name, namespace, uid, resourceVersion },
        }),
        sink: cache,
        clock: systemClock,
        random: () => 0,
        onError: (error) => errors.push(error),
        ...more,
      },
      stop.signal,
    );
    ends.unshift(async () => {
      stop.abort();
      await done;
    });
    await cache.synced;
    return { cache, seen, errors };
  }

  let count = 0;
  /** Makes a ConfigMap, past the proxy. */
  async function make(): Promise<string> {
    count += 1;
    const { metadata } = await ask(client, 'POST', configMaps, { metadata: { name: `made-${count}` } });
    return `default/${metadata.name}`;
  }

  const has = ({ cache }: Awaited<ReturnType<typeof follow>>, key: string) =>
    until(() => cache.get(key) !== undefined, key);

  it('reads what is there, and follows what comes, changes and goes', async () => {
    const first = await Promise.all([make(), make(), make()]);
    const followed = await follow(await open());
    for (const key of first) assert.ok(followed.cache.get(key) !== undefined, key);
    const key = await make();
    await has(followed, key);
    const name = key.replace('default/', '');
    await ask(client, 'PATCH', `${configMaps}/${name}`, { data: { a: 'b' } }, 'application/merge-patch+json');
    await ask(client, 'DELETE', `${configMaps}/${name}`);
    await until(() => followed.seen.includes(`-${key}`));
    assert.deepEqual(
      followed.seen.filter((one) => one.endsWith(key)),
      [`+${key}`, `~${key}`, `-${key}`],
    );
    assert.deepEqual(followed.errors, []);
  });

  it('says what the server refused, in the words of the server', async () => {
    const session = await open();
    const missing = session.request({ method: 'GET', path: `${configMaps}/none` });
    await assert.rejects(missing, { status: 404, reason: 'NotFound', message: /configmaps "none" not found/ });
    const wrong = session.request({ method: 'POST', path: configMaps, body: { metadata: { name: 'NO' } } });
    await assert.rejects(wrong, { status: 422, reason: 'Invalid' });
  });

  it('names the resource that the server does not know, and what to do about it', async () => {
    const unknownRemedy = 'install it';
    const session = await open({ unknownRemedy });
    const path = '/apis/things.test/v1/namespaces/default/things';
    const message = 'things.things.test is not known to this API server: install it';
    await assert.rejects(
      session.list(path, () => undefined, new AbortController().signal),
      { status: 404, message },
    );
    const watching = session.watch(`${path}?watch=1`, () => undefined, new AbortController().signal);
    await assert.rejects(watching, { status: 404, message });
    const other = session.request({ method: 'GET', path: '/nowhere?limit=1' });
    await assert.rejects(other, { message: 'the API server answered 404 to GET /nowhere: 404 page not found' });
  });

  it('writes hundreds of objects side by side over one connection', async () => {
    const session = await open();
    const names = Array.from({ length: 400 }, (_none, index) => `many-${index}`);
    await Promise.all(
      names.map((name) => session.request({ method: 'POST', path: configMaps, body: { metadata: { name } } })),
    );
    const followed = await follow(session);
    for (const name of names) assert.ok(followed.cache.get(`default/${name}`) !== undefined, name);
  });

  it('misses nothing of what is written while connections are cut, again and again', async () => {
    const followed = await follow(await open());
    const keys: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      keys.push(await make());
      proxy.cut();
      keys.push(await make());
    }
    for (const key of keys) await has(followed, key);
    assert.equal(new Set(followed.seen).size, followed.seen.length, 'something was told twice');
  });

  it('finds out that a connection hangs, and goes on over another one', async () => {
    const followed = await follow(await open({ ping: { everyMs: 300, withinMs: 300 } }));
    await has(followed, await make());
    proxy.hang();
    await has(followed, await make());
    assert.match(String(followed.errors[0]?.message), /lost the connection|in the middle/);
  });

  it('looks at a connection so often that it is found out within 35 s', async () => {
    const { defaultPing } = await import('../../../operator/runtime/session.ts');
    assert.ok(defaultPing.everyMs + defaultPing.withinMs < 30_000);
  });

  it('goes on when the server is back, without having been told', async () => {
    const followed = await follow(await open());
    await proxy.down(true);
    const key = await make();
    await until(() => followed.errors.length > 1);
    await proxy.down(false);
    await has(followed, key);
  });

  it('lists again when the server has forgotten its version', async () => {
    const followed = await follow(await open());
    let isOld = true;
    proxy.fault = ({ path }) => {
      if (!isOld || !path.includes('watch=1')) return undefined;
      isOld = false;
      return { answer: 410, body: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    };
    proxy.cut();
    await has(followed, await make());
    assert.equal(isOld, false);
  });

  it('lists again after a watch that stays open and sends nothing', async () => {
    let isMute = true;
    proxy.fault = ({ path }) => (isMute && path.includes('watch=1') ? 'silent watch' : undefined);
    const followed = await follow(await open(), { silenceMs: 500 });
    const key = await make();
    await until(() => followed.errors.some(({ message }) => message.includes('silent')));
    isMute = false;
    await has(followed, key);
  });

  it('waits as long as a busy server asks, and not longer', async () => {
    let busy = 2;
    const askedAt: number[] = [];
    proxy.fault = ({ path }) => {
      if (path.includes('watch=1') || !path.startsWith(configMaps)) return undefined;
      askedAt.push(performance.now());
      busy -= 1;
      return busy >= 0 ? { answer: 429, headers: { 'retry-after': '1' } } : undefined;
    };
    const followed = await follow(await open());
    assert.equal(followed.errors.length, 2);
    for (const [index, at] of askedAt.slice(1).entries()) assert.ok(at - askedAt[index]! >= 950, 'it did not wait');
  });

  it('goes on through errors of the server', async () => {
    let errors = 3;
    proxy.fault = () => (errors-- > 0 ? { answer: 500 } : undefined);
    const followed = await follow(await open());
    await has(followed, await make());
  });

  it('does not know whether a write was done whose answer was lost, and says so', async () => {
    const session = await open();
    proxy.fault = ({ method }) => (method === 'POST' ? 'lost answer' : undefined);
    const write = session.request({ method: 'POST', path: configMaps, body: { metadata: { name: 'lost' } } });
    await assert.rejects(write, { code: 'ERR_KUBERNETES_DISCONNECTED' });
    assert.equal((await client.call('GET', `${configMaps}/lost`)).status, 200);
  });

  it('gives up a request that is not answered', async () => {
    const session = await open({ requestMs: 200 });
    proxy.fault = () => 'no answer';
    await assert.rejects(session.request({ method: 'GET', path: configMaps }), /did not answer within 0\.2 s/);
  });

  it('has one leader, who passes on at once when it ends, and stops when it is cut off', async () => {
    const times = { leaseMs: 3_000, renewMs: 2_000, retryMs: 400 };
    const candidate = async (identity: string) => {
      const common = { clock: systemClock, random: Math.random, namespace: 'default', name: 'election' };
      const stop = new AbortController();
      ends.unshift(() => {
        stop.abort();
        return Promise.resolve();
      });
      const session = await open();
      return becomeLeader({ session, identity, onError: () => undefined, ...common, ...times }, stop.signal);
    };
    const first = (await candidate('first'))!;
    const waiting = candidate('second');
    await first.release();
    const second = (await waiting)!;
    assert.equal(second.signal.aborted, false);
    proxy.fault = ({ method, path }) => (method !== 'GET' && path.includes('/leases/') ? { answer: 500 } : undefined);
    await until(() => second.signal.aborted);
  });
});
