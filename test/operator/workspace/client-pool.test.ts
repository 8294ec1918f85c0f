import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { describe, it } from 'node:test';
import { systemClock } from '@rolecall/operator';
import { SecretsInformer } from '../../../operator/resources/secrets-informer.ts';
import { ClientPool } from '../../../operator/workspace/client-pool.ts';

describe('the clients of the Workspaces', () => {
  it('load what they connect with before the first Secret is read', async () => {
    const loaded: string[] = [];
    using _hooks = {
      hooks: registerHooks({
        resolve: (specifier, context, next) => {
          loaded.push(specifier);
          return next(specifier, context);
        },
      }),
      [Symbol.dispose]() {
        this.hooks.deregister();
      },
    };
    const refuse = (): never => assert.fail('no one asked for a Secret');
    const session = { request: refuse, list: refuse, watch: refuse, [Symbol.asyncDispose]: () => Promise.resolve() };
    const { signal } = new AbortController();
    const own = { clock: systemClock, signal, onError: refuse };
    const informer = new SecretsInformer({ ...own, session, onChange: refuse });
    await using _clients = new ClientPool(informer, { ...own, connections: 1, answerMs: 1_000 });
    assert.deepEqual(loaded, ['undici']);
  });
});
