/** Over the embedded store only: a request that the routes take wrongly is taken wrongly over any store. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { propertyRuns } from '../../support/property-runs.ts';
import { fuzzPeople } from './person-fuzz.ts';

it("fuzzed requests of two people neither fail nor reach what is the other's", async (context) => {
  const { statuses, faults } = await fuzzPeople(propertyRuns({ quick: 400, all: 2000 }), 1);
  context.diagnostic(JSON.stringify(statuses));
  assert.deepEqual(faults, []);
  // What is refused before it is looked at would prove nothing.
  for (const status of ['200', '400', '401', '403', '404', '405', '415', '422']) {
    assert.ok((statuses[status] ?? 0) > 0, `none was answered with ${status}`);
  }
});
