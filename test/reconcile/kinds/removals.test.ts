import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defaultRails } from '@rolecall/crds';
import { removeUndeclared } from '../../../reconcile/kinds/removals.ts';
import { createClaims } from '../../../reconcile/model/claims.ts';

it('an exact collection may lose more objects than a function takes arguments', async () => {
  const person = { id: 'p', username: 'ada' };
  const dataSource = { id: 'd', name: 'Shop', alias: 'shop' };
  const window = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' };
  const all = Array.from({ length: 150_000 }, (_, id) => ({ id: String(id), person, dataSource, ...window }));
  // The removal of permissions reads nothing else.
  const scope = { view: { permissions: () => Promise.resolve({ all }) } } as unknown as Parameters<
    typeof removeUndeclared
  >[2];
  const state = { objects: [], exact: ['permissions'] as const, rails: defaultRails };
  assert.equal((await removeUndeclared(state, createClaims(), scope, new Set())).length, all.length);
});
