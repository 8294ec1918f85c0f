import { describe, it } from 'node:test';
import { faults } from '../../reconcile/crash/fault-proxy.ts';
import { requires } from '../../support/databases/parts.ts';
import { countWrites, type State, survive } from '../support/survive.ts';

describe('an apply with any one call that goes wrong, and another apply', requires('terraform'), () => {
  for (const state of ['first', 'second'] as const satisfies readonly State[]) {
    for (const kind of faults) {
      it(`end in the ${state} state, with nothing there twice and an empty plan: ${kind}`, async () => {
        const writes = await countWrites(state);
        for (let after = 0; after < writes; after += 1) await survive(state, { kind, after });
      });
    }
  }
});
