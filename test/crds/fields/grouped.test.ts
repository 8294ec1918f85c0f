import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grouped } from '../../../crds/fields/grouped.ts';

describe('grouped', () => {
  it('parts thousands as toLocaleString does', () => {
    for (const number of [0, 7, 999, 1000, 12_345, 123_456, 1_234_567, 3_153_600_000]) {
      assert.equal(grouped(number), number.toLocaleString('en-US'));
    }
  });
});
