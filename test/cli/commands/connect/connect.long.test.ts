/** Over the embedded store only: the command line knows no store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { startTestService } from '../../../server/support/service.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { asPerson } from '../query/as-person.ts';

describe('rolecall connect', requires('postgresql', 'psql'), () => {
  it('starts psql as the person, and prints what other clients need', async (test) => {
    const server = await startPostgres();
    test.after(() => server.stop());
    const service = await startTestService({ gatewayPostgresql: { host: '127.0.0.1', port: 0 } });
    using ada = await asPerson(service, server.uri);
    // What the environment has for psql does not count.
    const options = { env: { ...ada.env, PGDATABASE: 'elsewhere' } };
    const command = ['connect', ada.alias, '--', '-Xc'];
    const psql = await startCommand([...command, 'create table made_by_psql (i int)'], options).finished;
    assert.equal(psql.code, 0, psql.stderr);
    assert.equal((await startCommand([...command, 'selec 1'], options).finished).code, 1);
    const { stdout } = await runCommand(['connect', ada.alias, '--print'], options);
    const client = new pg.Client({ connectionString: stdout.trim() });
    await client.connect();
    assert.deepEqual((await client.query('select count(*)::int as n from made_by_psql')).rows, [{ n: 0 }]);
    await client.end();
    const jdbc = await runCommand(['connect', ada.alias, '--jdbc'], options);
    assert.match(
      jdbc.stdout,
      new RegExp(`^jdbc:postgresql://127\\.0\\.0\\.1:\\d+/${ada.alias}\\?user=\\w+&password=[\\w-]+\\n$`),
    );
    const env = await runCommand(['connect', ada.alias, '--env'], options);
    assert.match(env.stdout, new RegExp(`^export PGHOST=127\\.0\\.0\\.1\n[^]*export PGDATABASE=${ada.alias}\n`));
  });

  it('says what is missing', async () => {
    const service = await startTestService();
    using ada = await asPerson(service, 'postgresql://u:p@127.0.0.1:1/x');
    const none = await runCommand(['connect', ada.alias], { env: ada.env });
    assert.match(none.stderr, /the service knows of no gateway/);
    using ben = await asPerson(service, 'mysql://u:p@127.0.0.1:1/x');
    const other = await runCommand(['connect', ben.alias], { env: ben.env });
    assert.match(other.stderr, /speaks PostgreSQL, and source\d+ is a mysql data source/);
    const both = await runCommand(['connect', ada.alias, '--print', '--env'], { env: ada.env });
    assert.match(both.stderr, /give one of --print/);
  });
});
