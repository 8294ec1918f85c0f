import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReferenceIndex, naturalKey, naturalKeyParts } from '@rolecall/crds';
import { define } from '../support.ts';

const ada = define('Person', 'ada', { username: 'lovelace', name: 'Ada', email: 'ada@example.com' });
const billing = define('DataSource', 'billing', { alias: 'billing/eu', uri: 'sqlite:///data/b.db' });
const index = createReferenceIndex([ada, billing]);

describe('the natural key', () => {
  for (const [definition, key] of [
    [ada, 'lovelace'],
    [billing, 'billing\\/eu'],
    [define('Role', 'r', { name: 'Admins' }), 'Admins'],
    [define('RoleMembership', 'm', { role: 'Admins', person: 'ada' }), 'Admins/person/lovelace'],
    [define('RoleMembership', 'm', { role: 'Admins', dataSource: 'billing' }), 'Admins/data-source/billing\\/eu'],
    [
      define('Permission', 'p', { person: 'ada', dataSource: 'x', startsAt: '2026-12-01T09:00Z', duration: '1h' }),
      'lovelace/x/2026-12-01T09:00:00.000Z/2026-12-01T10:00:00.000Z',
    ],
    [define('Permission', 'p', { person: 'ada', dataSource: 'x', duration: '1h' }), 'lovelace/x///3600s'],
    [define('Snippet', 's', { text: 'x', owner: { person: 'ada' } }), 'person/lovelace/s'],
    [define('Snippet', 's', { text: 'x' }), '//s'],
  ] as const) {
    it(`of a ${definition.kind} is ${key}`, () => {
      assert.equal(naturalKey(definition, index), key);
    });
  }

  it('takes references as they stand without an index', () => {
    assert.deepEqual(naturalKeyParts(define('RoleMembership', 'm', { role: 'r', person: 'ada' })), [
      'r',
      'person',
      'ada',
    ]);
  });
});
