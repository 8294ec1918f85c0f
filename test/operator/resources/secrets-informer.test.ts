import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SecretsInformer } from '../../../operator/resources/secrets-informer.ts';
import { systemClock } from '../../../operator/runtime/clock.ts';
import type { KubeSession } from '../../../operator/runtime/session.ts';

/** An API server without Secrets, which says what is watched. */
function emptyServer() {
  const watched = new Set<string>();
  const session: KubeSession = {
    request: () => Promise.reject(new Error('nothing is asked for here')),
    list: () => Promise.resolve({ metadata: { resourceVersion: '1' } }),
    watch: (path, _onEvent, signal) => {
      const [, name = ''] = /metadata\.name%3D([^&]+)/.exec(path) ?? [];
      watched.add(name);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      signal.addEventListener('abort', () => {
        watched.delete(name);
        resolve(undefined);
      });
      return promise;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { session, watched };
}

describe('the Secrets that objects of a namespace name', () => {
  const open = (session: KubeSession, stop: AbortController) =>
    new SecretsInformer({
      ...{ session, clock: systemClock, signal: stop.signal },
      onChange: () => undefined,
      onError: () => undefined,
    });

  it('are watched until nothing names them any more', async (t) => {
    const stop = new AbortController();
    t.after(() => {
      stop.abort();
    });
    const { session, watched } = emptyServer();
    const informer = open(session, stop);
    for (const name of ['one', 'two', 'three']) await informer.read('secrets', 'team', name);
    await informer.read('secrets', 'other', 'four');
    await nextTurn();
    informer.keep('team', new Set(['secrets/two']));
    await nextTurn();
    assert.deepEqual([...watched].sort(), ['four', 'two']);
    assert.deepEqual(await informer.read('secrets', 'team', 'one'), {
      problem: 'the Secret one is not in the namespace team',
    });
  });

  it('are a thousand at most, and one more is refused in words until another is not named any more', async (t) => {
    const stop = new AbortController();
    t.after(() => {
      stop.abort();
    });
    const { session } = emptyServer();
    const informer = open(session, stop);
    const names = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    await Promise.all(names.map((name) => informer.read('secrets', 'crowd', name)));
    const refused = await informer.read('configmaps', 'crowd', 'more');
    assert.match('problem' in refused ? refused.problem : '', /ConfigMap more cannot be read: .* name 1000 Secrets/);
    const other = await informer.read('secrets', 'team', 'key');
    assert.match('problem' in other ? other.problem : '', /is not in the namespace team/);
    informer.keep('crowd', new Set(names.slice(1).map((name) => `secrets/${name}`)));
    const taken = await informer.read('configmaps', 'crowd', 'more');
    assert.match('problem' in taken ? taken.problem : '', /is not in the namespace/);
  });
});
