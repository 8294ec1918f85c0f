import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { sqliteProcesses } from '../databases/processes.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { until } from './in-editor.ts';

const service = await startTestService();
const make = makers(service);

/** A file with these statements run, as a data source of a person. */
async function sourceWith(sql: string) {
  const file = path.join(await temporaryFolder(), 'shop.db');
  const database = new DatabaseSync(file);
  database.exec(sql);
  const [person, source] = [await make.person(), await make.dataSource({ configUri: `sqlite://${file}` })];
  const grant = await make.permission(source.id, person.id);
  const session = await signedIn(service, person.id);
  const place = `/data-source/${source.id}/schema`;
  return {
    ...{ database, grant, session, source, place },
    tables: (query = '') => session.ok('listSchemaTables', 'GET', `${place}/table${query}`),
    columns: (table: string) =>
      session.ok('listSchemaColumns', 'GET', `${place}/column?schema=main&table=${encodeURIComponent(table)}`),
  };
}

describe("a person's view of a schema", () => {
  it('has tables and views by how their names begin, and columns when a table is named', async () => {
    const { tables, columns } = await sourceWith(`
      create table customer (id integer not null, name text); create table customs (code text);
      create table orders (id integer); create view Cust_totals as select name from customer;`);
    const all = await tables();
    assert.deepEqual(
      all.tables.map(({ name, kind }) => [name, kind]),
      [
        ['Cust_totals', 'view'],
        ['customer', 'table'],
        ['customs', 'table'],
        ['orders', 'table'],
      ],
    );
    assert.deepEqual([all.defaultSchema, all.isComplete], ['main', true]);
    const found = await tables('?prefix=CUST&limit=2');
    assert.deepEqual([found.tables.map(({ name }) => name), found.isComplete], [['Cust_totals', 'customer'], false]);
    assert.equal((await tables('?prefix=main.or')).tables[0]?.name, 'orders');
    assert.deepEqual((await columns('customer')).columns, [
      { name: 'id', type: 'INTEGER', isNullable: false },
      { name: 'name', type: 'TEXT', isNullable: true },
    ]);
    assert.deepEqual((await columns('nothing')).columns, []);
  });

  it('takes a name for a name, whatever is in it', async () => {
    const name = `x'); drop table orders; -- "\`\\ü🚀`;
    const { columns, tables } = await sourceWith(
      `create table orders (id integer); create table "${name.replaceAll('"', '""')}" (held text)`,
    );
    assert.deepEqual((await columns(name)).columns, [{ name: 'held', type: 'TEXT', isNullable: true }]);
    assert.equal((await tables('?fresh=true')).tables.length, 2);
  });

  it('is remembered for a person until they ask for a fresh one', async () => {
    const { database, tables } = await sourceWith('create table one (id integer)');
    assert.equal((await tables()).tables.length, 1);
    database.exec('create table two (id integer)');
    assert.equal((await tables()).tables.length, 1);
    assert.equal((await tables('?fresh=true')).tables.length, 2);
    assert.equal((await tables()).tables.length, 2);
  });

  it('is closed once access has ended, also where it is remembered', async () => {
    const { grant, session, place, tables } = await sourceWith('create table one (id integer)');
    await tables();
    await service.ok('DELETE', `/permission/${grant.id}`);
    assertProblem(await session.call('GET', `${place}/table`), 404, 'not_found');
  });

  it('is cut off while it is read, when access ends', async () => {
    const { database, grant, session, place } = await sourceWith('create table one (id integer)');
    // The reading waits for the file.
    database.exec('begin exclusive');
    const others = new Set(sqliteProcesses());
    const reading = session.call('GET', `${place}/table`);
    await until(() => sqliteProcesses().some((pid) => !others.has(pid)));
    await service.ok('DELETE', `/permission/${grant.id}`);
    const endedAt = Date.now();
    assertProblem(await reading, 403, 'access_ended');
    assert.ok(Date.now() - endedAt < 1000, `it took ${Date.now() - endedAt} ms`);
    database.exec('rollback');
  });

  it('has bounds, and says why a database cannot be read', async () => {
    const { session, place } = await sourceWith('create table one (id integer)');
    assertProblem(await session.call('GET', `${place}/table?limit=10001`), 400, 'malformed_parameter');
    assertProblem(await session.call('GET', `${place}/table?prefix=${'x'.repeat(256)}`), 400, 'malformed_parameter');
    const person = await make.person();
    const missing = await make.dataSource({ configUri: 'sqlite:///nowhere/at-all.db' });
    await make.permission(missing.id, person.id);
    const { call } = await signedIn(service, person.id);
    assertProblem(await call('GET', `/data-source/${missing.id}/schema/table`), 502, 'schema_unreadable');
  });
});
