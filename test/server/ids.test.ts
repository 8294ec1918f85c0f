import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../server/ids.ts';
import { shortId } from './support/match.ts';

it('identifiers are different, and sort in the order in which they were made', () => {
  const ids = Array.from({ length: 50_000 }, newId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids.slice(0, 100)) assert.match(id, shortId);
  assert.ok(ids.every((id, index) => index === 0 || id > String(ids[index - 1])));
});
