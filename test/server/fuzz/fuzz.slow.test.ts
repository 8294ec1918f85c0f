import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './fuzz.ts';

it('100,000 fuzzed requests lead to no failure of the service, no crash and no hang', async (context) => {
  const seed = Date.now() % 2 ** 31;
  const { statuses, faults } = await fuzz(100_000, seed);
  context.diagnostic(`seed ${seed}: ${JSON.stringify(statuses)}`);
  assert.deepEqual(faults, []);
});
