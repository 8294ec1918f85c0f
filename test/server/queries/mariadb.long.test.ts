import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { makers } from '../support/make.ts';
import { errorOf, queryHelpers } from '../support/queries.ts';
import { startTestService } from '../support/service.ts';

describe('queries on MariaDB', requires('mariadb'), () => {
  it('run in one transaction, give their rows, and can be cancelled', async (test) => {
    const server = await startMariadb();
    test.after(() => server.stop());
    const service = await startTestService();
    const queries = queryHelpers(service);
    const source = await makers(service).dataSource({ configUri: server.uri });
    const admin = await createConnection({ uri: server.uri.replace(/^mariadb/, 'mysql') });
    await admin.query('create table t (i int)');
    await admin.end();
    const { results } = await queries.run(source.id, 'insert into t values (1)', 'select * from nowhere');
    assert.deepEqual(
      results.map(({ type }) => type),
      ['update', 'error'],
    );
    const { query } = await queries.run(source.id, 'select count(*), 18446744073709551615 from t');
    assert.deepEqual(await queries.rows(query.id, 0), [['0', '18446744073709551615']]);
    const id = await queries.execute(source.id, 'select a.seq from seq_1_to_1000000 a, seq_1_to_1000000 b');
    await queries.untilRows(id, 0, 1000);
    await service.ok('POST', `/query/${id}/cancel`);
    assert.equal(errorOf(await queries.result(id, 1)), 'cancelled');
  });
});
