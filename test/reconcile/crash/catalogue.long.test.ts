import { describe, it } from 'node:test';
import { catalogue } from './catalogue.ts';
import { prepare } from './crash.ts';
import { surviveAll } from './survive-all.ts';

/**
 * A stop after each call (which is a stop before the next one), and the two faults after which others go on: a refusal, and
 * an answer that is lost. The slow form has every fault.
 */
const quick = ['stop after', '409', 'cut after commit'] as const;

describe('a run that is interrupted or refused at any call, and then repeated', () => {
  for (const [name, transition] of Object.entries(catalogue)) {
    it(`ends as if nothing had happened: ${name}`, async (context) => {
      await using prepared = await prepare(transition);
      context.diagnostic(`${await surviveAll(prepared, quick)} cases`);
    });
  }
});
