import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CancelKeys } from '../../../../server/gateway/postgresql/cancel-keys.ts';

/** Sessions that count how often they were cancelled. */
function sessions(serverIds: readonly (number | undefined)[], minor = 2) {
  const keys = new CancelKeys();
  const cancelled = serverIds.map(() => 0);
  const given = serverIds.map((id, at) =>
    keys.add(id, minor, () => {
      cancelled[at] = (cancelled[at] ?? 0) + 1;
      return Promise.resolve();
    }),
  );
  return { keys, cancelled, given };
}

describe('the keys by which clients of PostgreSQL cancel', () => {
  it('tell sessions of different servers apart that have the same process id', async () => {
    const { keys, cancelled, given } = sessions([4711, 4711, 4711, 4712]);
    const [, second, third, fourth] = given;
    assert.deepEqual(
      given.map(({ processId }) => processId),
      [4711, 4711, 4711, 4712],
    );
    await keys.cancel(second ?? assert.fail());
    assert.deepEqual(cancelled, [0, 1, 0, 0]);
    third?.forget();
    await keys.cancel(third ?? assert.fail());
    await keys.cancel({ processId: 4711, secret: fourth?.secret ?? assert.fail() });
    await keys.cancel({ processId: 4710, secret: second?.secret ?? assert.fail() });
    assert.deepEqual(cancelled, [0, 1, 0, 0]);
    await keys.cancel(second ?? assert.fail());
    assert.deepEqual(cancelled, [0, 2, 0, 0]);
  });

  it('have 4 bytes of secret up to protocol 3.1 and 32 from then on, and take no part of one', async () => {
    for (const [minor, length] of [
      [0, 4],
      [1, 4],
      [2, 32],
    ] as const) {
      const { keys, cancelled, given } = sessions([4711], minor);
      const { processId, secret } = given[0] ?? assert.fail();
      assert.equal(secret.length, length);
      for (const wrong of [secret.subarray(0, -1), Buffer.concat([secret, Buffer.alloc(1)]), Buffer.alloc(length)]) {
        await keys.cancel({ processId, secret: wrong });
      }
      assert.deepEqual(cancelled, [0]);
    }
  });

  it('have an id of their own where the server gives none, as some poolers do', async () => {
    const { keys, cancelled, given } = sessions([undefined, undefined], 0);
    assert.ok(given.every(({ processId }) => processId > 0));
    await keys.cancel(given[1] ?? assert.fail());
    assert.deepEqual(cancelled, [0, 1]);
  });
});
