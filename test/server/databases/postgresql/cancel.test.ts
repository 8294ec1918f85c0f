import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { cancelKey } from '../../../../server/databases/postgresql/cancel.ts';

describe('the key for cancelling a query', () => {
  it('is what the server has sent', () => {
    assert.deepEqual(cancelKey({ processID: 7, secretKey: -8, other: 9 }), { processID: 7, secretKey: -8 });
    assert.equal(cancelKey({ processID: null, secretKey: null }), undefined);
  });

  it('must be kept as this version of the driver keeps it: else every query fails, instead of none being cancelled', () => {
    for (const client of [{}, { processID: 7 }, { processID: 7, secretKey: Buffer.alloc(32) }, { pid: 7, key: 8 }]) {
      assert.throws(() => cancelKey(client), /another form/);
    }
  });
});

it('the drivers are the versions whose private members the service was checked against', async () => {
  const versions = await Promise.all(
    ['pg', 'mysql2'].map(async (name) => {
      const text = await readFile(new URL(`../../../../node_modules/${name}/package.json`, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    }),
  );
  // Before you raise one, run test/server/databases with --long: connection, hostile, stopping and values use private members.
  assert.deepEqual(versions, ['8.23.1', '3.24.6']);
});
