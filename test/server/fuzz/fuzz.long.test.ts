import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './fuzz.ts';

it('3,000 fuzzed requests lead to no failure of the service, no crash and no hang', async (context) => {
  const { statuses, faults } = await fuzz(3000, 1);
  context.diagnostic(JSON.stringify(statuses));
  assert.deepEqual(faults, []);
  // What is refused before it is looked at would prove nothing.
  for (const status of ['200', '400', '401', '403', '404', '405', '406', '415', '422']) {
    assert.ok((statuses[status] ?? 0) > 0, `none was answered with ${status}`);
  }
});
