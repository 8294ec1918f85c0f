import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AccessFacts } from '@rolecall/reconcile';
import { findEndings } from '../../../../cli/commands/report/expiring.ts';

const ada = { key: 'p', username: 'ada', name: 'Ada', isLocked: false };
const billing = { key: 'd', alias: 'billing', name: 'Billing' };
const day = (number: number): string => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

/** What ends from the tenth to the seventeenth, where permissions hold from day to day. */
function endings(windows: readonly (readonly [number, number])[], more: Partial<AccessFacts> = {}): string[] {
  const permissions = windows.map(([from, to], index) => ({
    key: String(index),
    person: 'p',
    dataSource: 'd',
    startsAt: day(from),
    expiresAt: day(to),
  }));
  const facts = { people: [ada], dataSources: [billing], roles: [], permissions, ...more };
  return findEndings(facts, new Date(day(10)), new Date(day(17))).map(({ expiresAt }) => expiresAt.slice(8, 10));
}

describe('what ends within a window', () => {
  it('is a permission whose end lies in it', () => {
    assert.deepEqual(endings([[1, 9]]), []);
    assert.deepEqual(endings([[1, 10]]), [], 'it was over when the window began');
    assert.deepEqual(endings([[1, 11]]), ['11']);
    assert.deepEqual(endings([[1, 17]]), ['17']);
    assert.deepEqual(endings([[1, 18]]), []);
    assert.deepEqual(endings([[12, 13]]), ['13'], 'it begins in the window, too');
  });

  it('is nothing that another permission continues', () => {
    assert.deepEqual(
      endings([
        [1, 12],
        [12, 30],
      ]),
      [],
    );
    assert.deepEqual(
      endings([
        [1, 12],
        [5, 30],
      ]),
      [],
    );
    assert.deepEqual(
      endings([
        [1, 12],
        [12, 15],
      ]),
      ['15'],
      'only the last of a chain ends',
    );
    assert.deepEqual(
      endings([
        [1, 12],
        [13, 30],
      ]),
      ['12'],
      'there is a day without access',
    );
  });

  it('is nothing that a role gives as well', () => {
    const role = { key: 'r', name: 'analysts', people: [{ key: 'p' }], dataSources: [{ key: 'd' }] };
    assert.deepEqual(endings([[1, 12]], { roles: [role] }), []);
  });

  it('is told once, however often it was granted', () => {
    assert.deepEqual(
      endings([
        [1, 12],
        [1, 12],
        [4, 12],
      ]),
      ['12'],
    );
  });

  it('is nothing for who is locked', () => {
    assert.deepEqual(endings([[1, 12]], { people: [{ ...ada, isLocked: true }] }), []);
  });
});
