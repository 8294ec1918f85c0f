import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digestReadings } from '../../../reconcile/plan/digest.ts';

const digest = (name: string, reading: unknown) => digestReadings(new Map([[name, reading]]));

describe('the digest of what was read', () => {
  it('does not depend on the order of lists and fields', () => {
    const one = digest('people', [
      { id: 'a', name: 'Ada' },
      { id: 'b', name: 'Bob' },
    ]);
    assert.equal(
      digest('people', [
        { name: 'Bob', id: 'b' },
        { name: 'Ada', id: 'a' },
      ]),
      one,
    );
    assert.notEqual(digest('people', [{ id: 'a', name: 'Ada' }]), one);
    assert.notEqual(
      digest('roles', [
        { id: 'a', name: 'Ada' },
        { id: 'b', name: 'Bob' },
      ]),
      one,
    );
  });

  it('takes the shortened URIs of lists as they are', () => {
    assert.equal(digest('dataSources', [{ id: 'a', configUri: 'sqlite://' }]).length, 64);
  });
});
