import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';
import { catalogue } from './catalogue.ts';
import { prepare } from './crash.ts';
import { faults } from './fault-proxy.ts';
import { generatedTransition } from './generated.ts';
import { surviveAll } from './survive-all.ts';

describe('a run that goes wrong at any call in any way, and then is repeated', () => {
  for (const [name, transition] of Object.entries(catalogue)) {
    it(`ends as if nothing had happened: ${name}`, async (context) => {
      await using prepared = await prepare(transition);
      context.diagnostic(`${await surviveAll(prepared, faults)} cases`);
    });
  }

  it('ends as if nothing had happened, from any state to any other', async (context) => {
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(generatedTransition, fc.constantFrom(1, 4), async (transition, concurrency) => {
        await using prepared = await prepare(transition);
        cases += await surviveAll(prepared, faults, concurrency);
      }),
      // To shrink a failure would take a multiple of the time; its seed brings it back.
      { numRuns: propertyRuns({ quick: 25, all: 25 }), endOnFailure: true },
    );
    context.diagnostic(`${cases} cases`);
  });
});
