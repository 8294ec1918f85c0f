/** Over the embedded store only: a request that the routes take wrongly is taken wrongly over any store. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzzPeople } from './person-fuzz.ts';

it("100,000 fuzzed requests of two people neither fail nor reach what is the other's", async (context) => {
  const seed = Date.now() % 2 ** 31;
  const { statuses, faults } = await fuzzPeople(100_000, seed);
  context.diagnostic(`seed ${seed}: ${JSON.stringify(statuses)}`);
  assert.deepEqual(faults, []);
});
