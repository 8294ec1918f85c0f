import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { StoreUnavailableError, StoreVersionError, startService } from '@rolecall/server';
import { migrations } from '../../../server/store/migrations/index.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { temporaryFolder } from '../support/service.ts';

const sql = (dataDir: string, text: string) => {
  const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
  const rows = database.prepare(text).all();
  database.close();
  return rows;
};

describe('the version of a store', () => {
  it('is recorded, and opening it again migrates nothing', async () => {
    const dataDir = await temporaryFolder();
    for (let time = 0; time < 2; time += 1) await (await openSqliteStore(dataDir)).close();
    const rows = sql(dataDir, 'select version, name from migration order by version');
    assert.deepEqual(
      rows.map(({ version, name }) => ({ version, name })),
      migrations.map(({ name }, index) => ({ version: index + 1, name })),
    );
  });

  it('that is newer than the program is refused, and the store is left alone', async () => {
    const dataDir = await temporaryFolder();
    await (await openSqliteStore(dataDir)).close();
    sql(dataDir, `insert into migration values (${migrations.length + 1}, 'from the future', '')`);
    const starting = startService({ dataDir, environment: {} }).then((service) => service.close());
    await assert.rejects(starting, (error) => {
      assert.ok(error instanceof StoreVersionError);
      assert.equal(error.code, 'ERR_STORE_VERSION');
      assert.match(error.message, /newer/);
      return true;
    });
    assert.equal(sql(dataDir, 'select * from migration').length, migrations.length + 1);
  });

  it('of a file that is damaged cannot be told, which says what to do', async () => {
    const dataDir = await temporaryFolder();
    writeFileSync(path.join(dataDir, 'rolecall.db'), 'no database at all');
    await assert.rejects(openSqliteStore(dataDir), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /rolecall\.db is damaged, or no store of Rolecall: restore a backup/);
      return true;
    });
  });

  it('keeps what a migration has done only when all of it is done', async () => {
    const dataDir = await temporaryFolder();
    sql(dataDir, 'create table role (id text)');
    await assert.rejects(openSqliteStore(dataDir), /already exists/);
    assert.deepEqual(
      sql(dataDir, "select name from sqlite_master where type = 'table'").map(({ name }) => name),
      ['role'],
    );
  });
});
