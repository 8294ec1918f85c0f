/** Over the embedded store only: PostgreSQL chooses other indexes. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { temporaryFolder } from '../support/service.ts';

it("a page of a role's members is read by an index, in its order", async () => {
  const dataDir = await temporaryFolder();
  await (await openSqliteStore(dataDir)).close();
  const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
  for (const table of ['role_person', 'role_data_source']) {
    const page = `select seq from ${table} where role_id = 'a' and seq > 1 order by seq limit 1000`;
    const plan = database.prepare(`explain query plan ${page}`).all();
    assert.deepEqual(
      plan.map(({ detail }) => detail),
      [`SEARCH ${table} USING COVERING INDEX ${table}_by_role_id (role_id=? AND seq>?)`],
    );
  }
  database.close();
});
