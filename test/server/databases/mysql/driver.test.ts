import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';

it('the driver is the version whose private members the service was checked against', async () => {
  const text = await readFile(new URL('../../../../node_modules/mysql2/package.json', import.meta.url), 'utf8');
  // Before you raise it, run test/server/databases/mysql with --long: connection, hostile and values use private members.
  assert.equal((JSON.parse(text) as { version: string }).version, '3.24.6');
});
