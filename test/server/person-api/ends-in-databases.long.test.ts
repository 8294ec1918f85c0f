import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { makers } from '../support/make.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { newPostgresStore } from '../support/stores.ts';
import { inEditor, until } from './in-editor.ts';

interface Witness {
  readonly uri: string;
  /** A statement that does not end by itself. */
  readonly endless: string;
  /** How many such statements the database works on. */
  readonly running: () => Promise<number>;
}

async function postgres(test: TestContext): Promise<Witness> {
  const server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.uri });
  await admin.connect();
  test.after(async () => {
    await admin.end();
    await server.stop();
  });
  const others = "select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep%'";
  const running = async () => (await admin.query(others)).rowCount ?? 0;
  return { uri: server.uri, endless: 'select pg_sleep(1000)', running };
}

async function mariadb(test: TestContext): Promise<Witness> {
  const server = await startMariadb();
  const admin = await createConnection({ uri: server.uri.replace(/^mariadb/, 'mysql') });
  test.after(async () => {
    await admin.end();
    await server.stop();
  });
  const others = "select 1 from information_schema.processlist where info like 'select sleep%'";
  const running = async () => (await admin.query<RowDataPacket[]>(others))[0].length;
  return { uri: server.uri, endless: 'select sleep(1000)', running };
}

/**
 * Runs a statement until the end of a permission, and another one until its permission is taken away.
 *
 * @param changer where access is taken away
 */
async function assertEnds({ uri, endless, running }: Witness, service: TestService, changer = service): Promise<void> {
  const ada = await inEditor(service, uri);
  const make = makers(changer);
  // Until the statement runs, however long that takes, the person has another permission.
  const first = await make.permission(ada.source.id, ada.person.id);
  await ada.execute(endless);
  await until(async () => (await running()) === 1);
  const { expiresAt } = await make.permission(ada.source.id, ada.person.id, { duration: '2' });
  await changer.ok('DELETE', `/permission/${first.id}`);
  const late = (await until(async () => (await running()) === 0)) - Date.parse(expiresAt);
  assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
  const { id } = await make.permission(ada.source.id, ada.person.id);
  await ada.execute(endless);
  await until(async () => (await running()) === 1);
  await changer.ok('DELETE', `/permission/${id}`);
  const taken = Date.now();
  const after = (await until(async () => (await running()) === 0)) - taken;
  assert.ok(after < 1000, `${after} ms after it was taken away`);
}

describe('the end of an access, as the database sees it', () => {
  it('stops the statement on PostgreSQL, and not before', requires('postgresql'), async (test) => {
    await assertEnds(await postgres(test), await startTestService());
  });

  it('stops the statement on MariaDB, and not before', requires('mariadb'), async (test) => {
    await assertEnds(await mariadb(test), await startTestService());
  });

  it('stops the statement at the replica that runs it, whichever one is told', requires('postgresql'), async (test) => {
    const witness = await postgres(test);
    const store = await newPostgresStore();
    const [runner, other] = [await startTestService(store), await startTestService(store)];
    await assertEnds(witness, runner, other);
  });
});
