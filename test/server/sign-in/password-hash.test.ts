import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '../../../server/refusal.ts';
import { PasswordHasher } from '../../../server/sign-in/password-hash.ts';

it('two passwords are checked at a time, 16 wait, and another one is told to come back, for unknown people too', async () => {
  const hasher = new PasswordHasher(2);
  const hash = await hasher.hash('correct horse battery');
  const checks = Array.from({ length: 18 }, async (_, index) =>
    hasher.verify('correct horse battery', index % 2 === 0 ? hash : undefined),
  );
  await assert.rejects(hasher.verify('x', undefined), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'unavailable');
    assert.match(error.headers['retry-after'] ?? '', /^\d+$/);
    return true;
  });
  const right = await Promise.all(checks);
  assert.deepEqual(
    right,
    right.map((_, index) => index % 2 === 0),
  );
  assert.equal(await hasher.verify('wrong', hash), false, 'the places are free again');
});
