/** Over the embedded store only: the catalogues of the other databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

async function schemaOf(configUri: string) {
  const [person, source] = [await make.person(), await make.dataSource({ configUri })];
  await make.permission(source.id, person.id);
  const { ok } = await signedIn(service, person.id);
  const place = `/data-source/${source.id}/schema`;
  return {
    tables: (query = '') => ok('listSchemaTables', 'GET', `${place}/table${query}`),
    columns: (schema: string, table: string) =>
      ok('listSchemaColumns', 'GET', `${place}/column?${new URLSearchParams({ schema, table }).toString()}`),
  };
}

const awkward = `it's "a" \\ \`b\` ü🚀`;

describe('the schema of a database with a server', () => {
  it('is read from PostgreSQL, with thousands of tables', requires('postgresql'), async (test) => {
    const server = await startPostgres();
    const admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
    test.after(async () => {
      await admin.end();
      await server.stop();
    });
    await admin.query(`create schema sales; create table sales.orders (id int primary key, total numeric(10, 2));
      create table "${awkward.replaceAll('"', '""')}" (held text); create view names as select 1 as one;
      do $$ begin for i in 1..2500 loop execute format('create table t%s (a int, b text)', i); end loop; end $$`);
    const { tables, columns } = await schemaOf(server.uri);
    const all = await tables('?limit=10000');
    assert.deepEqual([all.tables.length, all.defaultSchema, all.isComplete], [2503, 'public', true]);
    assert.deepEqual(all.tables.at(-1), { schema: 'sales', name: 'orders', kind: 'table' });
    assert.deepEqual((await columns('sales', 'orders')).columns, [
      { name: 'id', type: 'integer', isNullable: false },
      { name: 'total', type: 'numeric(10,2)', isNullable: true },
    ]);
    assert.equal((await columns('public', awkward)).columns[0]?.name, 'held');
    assert.equal((await tables('?prefix=t249&limit=100')).tables.length, 11);
  });

  it('is read from MariaDB', requires('mariadb'), async (test) => {
    const server = await startMariadb();
    const admin = await createConnection({ uri: server.uri.replace(/^mariadb/, 'mysql') });
    test.after(async () => {
      await admin.end();
      await server.stop();
    });
    await admin.query('create table orders (id int not null, total decimal(10, 2))');
    await admin.query('create view totals as select total from orders');
    const name = awkward.replace('🚀', '');
    await admin.query(`create table \`${name.replaceAll('`', '``')}\` (held text)`);
    const { tables, columns } = await schemaOf(server.uri);
    const { defaultSchema, tables: found } = await tables();
    assert.ok(found.some((one) => one.schema === defaultSchema && one.name === 'totals' && one.kind === 'view'));
    assert.deepEqual((await columns(defaultSchema ?? '', 'orders')).columns, [
      { name: 'id', type: 'int(11)', isNullable: false },
      { name: 'total', type: 'decimal(10,2)', isNullable: true },
    ]);
    assert.equal((await columns(defaultSchema ?? '', name)).columns[0]?.name, 'held');
  });
});
