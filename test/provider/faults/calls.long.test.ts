import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faults } from '../../reconcile/crash/fault-proxy.ts';
import { requires } from '../../support/databases/parts.ts';
import { countWrites, type State, survive } from '../support/survive.ts';

/** The short form of calls.slow.test.ts: each fault once, at calls that are spread over the whole apply. */
describe('an apply whose calls go wrong one at a time, and another apply', requires('terraform'), () => {
  for (const state of ['first', 'second'] as const satisfies readonly State[]) {
    it(`end in the ${state} state, with nothing there twice and an empty plan`, async () => {
      const writes = await countWrites(state);
      assert.ok(writes > faults.length, `${writes} calls`);
      const every = state === 'first' ? faults.slice(1, 4) : faults.slice(4);
      for (const [index, kind] of every.entries()) {
        await survive(state, { kind, after: Math.floor((index * writes) / every.length) + 1 });
      }
    });
  }

  it('go on from where the workspace went away in the middle', async () => {
    await survive('first', { kind: 'stop before', after: 4 });
  });
});
