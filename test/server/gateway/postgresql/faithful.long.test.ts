import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { until } from '../../person-api/in-editor.ts';
import { temporaryFolder } from '../../support/service.ts';
import {
  auditedRuns,
  certified,
  loggedStatements,
  logsStatements,
  serverLog,
  type ThroughGateway,
  throughGateway,
} from '../through-gateway.ts';

const skipped = requires('postgresql', 'psql');
const server = skipped.skip === false ? await startPostgres(logsStatements) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** What a client of each kind is asked to do. */
const script = String.raw`
\set VERBOSITY verbose
select 1 as one, 'ä€😀' as text, null as nothing;
create temp table t (i int, s text);
copy t from stdin;
1	one
2	two
\.
copy (select * from t order by i) to stdout;
insert into t values (3, 'three') returning i;
select no_such_column from t;
begin; declare c cursor for select * from t order by i; fetch 2 from c; fetch 2 from c; commit;
prepare p as select i from t where i > $1 order by i;
execute p(1);
select 1; select 2;
do $$ begin raise notice 'a notice'; raise warning 'a warning'; end $$;
listen here; notify here, 'payload'; unlisten here;
begin; select 1/0; select 1; rollback;
copy t from stdin;
wrong
\.
show server_encoding; show client_encoding; show timezone;
set application_name = 'other';
select repeat('x', 100000) as large;
\echo done
`;

interface Transcript {
  readonly stdout: string;
  readonly stderr: string;
}

async function psql(connection: string, env: Record<string, string> = {}): Promise<Transcript> {
  const file = path.join(await temporaryFolder(), 'script.sql');
  await writeFile(file, script);
  const { stdout, stderr } = await promisify(execFile)('psql', ['-X', '-f', file, connection], {
    env: { ...process.env, ...env },
    maxBuffer: 16 * 1024 * 1024,
  });
  const withoutNumbers = (text: string): string => text.replaceAll(/server process with PID \d+|psql:[^:]*:/g, '');
  return { stdout: withoutNumbers(stdout), stderr: withoutNumbers(stderr) };
}

function psqlOne(connection: string, statement: string): Promise<Transcript> {
  return promisify(execFile)('psql', ['-X', '-At', connection, '-c', statement]);
}

function connectionOf({ login }: ThroughGateway, more = ''): string {
  return `host=${login.host} port=${login.port} user=${login.user} dbname=${login.database} password=${login.password} ${more}`;
}

/** Gives what a client of node-postgres sees of everything that the protocol has. */
async function seenBy(client: pg.Client): Promise<unknown[]> {
  const seen: unknown[] = [];
  const ask = async (query: string | pg.QueryConfig): Promise<void> => {
    try {
      const result = await client.query(query);
      seen.push(
        Array.isArray(result)
          ? result.map(({ rows }: pg.QueryResult<object>) => rows)
          : { rows: result.rows, command: result.command },
      );
    } catch (error) {
      const { message, code, position, severity } = error as pg.DatabaseError;
      seen.push({ message, code, position, severity });
    }
  };
  client.on('notice', ({ message, code }) => seen.push({ message, code }));
  client.on('notification', ({ channel, payload }) => seen.push({ channel, payload }));
  await ask({ text: 'select $1::int + 1 as a', values: [41] });
  await ask({ name: 'named', text: 'select $1::text as b', values: ['x'] });
  await ask({ name: 'named', text: 'select $1::text as b', values: ['y'] });
  await ask({ text: 'select * from generate_series(1, 25)', rows: 10 } as pg.QueryConfig);
  await ask({ text: 'select $1::int', values: ['no number'] });
  await ask('listen there');
  await ask("notify there, 'hello'");
  await ask("do $$ begin raise notice 'told'; end $$");
  await ask('select 1; select 2; selec 3');
  await ask({ text: 'select length($1) as long', values: ['y'.repeat(17 * 1024 * 1024)] });
  await ask('unlisten *');
  await Promise.all([ask('select 1'), ask({ text: 'select $1 as x', values: ['2'] }), ask('select 3')]);
  return seen;
}

describe('a client of PostgreSQL through the gateway', skipped, () => {
  it('sees with psql exactly what it sees without', async () => {
    const ada = await throughGateway(uri);
    const [direct, through] = [await psql(uri), await psql(connectionOf(ada))];
    assert.match(direct.stdout, /done/);
    assert.deepEqual(through, direct);
  });

  it('sees with node-postgres exactly what it sees without, also what is larger than 16 MiB', async () => {
    const ada = await throughGateway(uri);
    const direct = new pg.Client({ connectionString: uri });
    await direct.connect();
    const through = await ada.connect();
    assert.deepEqual(await seenBy(through), await seenBy(direct));
    await direct.end();
    await through.end();
  });

  it('is in the audit trail with exactly the statements that the server has logged', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'audited' });
    const logged = async (): Promise<number> => loggedStatements(await serverLog(uri)).get('audited')?.length ?? 0;
    const before = await logged();
    await seenBy(client);
    for (const nothing of [{ text: '' }, { text: '-- nothing', values: [] }]) await client.query(nothing);
    // What is skipped after an error in a pipeline has not run.
    await client.query({ text: 'select 1', values: [] });
    await client.end();
    const runs = await auditedRuns(ada);
    // The server's log is written a moment later.
    await until(async () => (await logged()) - before >= runs);
    assert.equal(runs, (await logged()) - before);
  });

  it('can bind its log-in to the TLS connection, and is not let in without TLS', requires('openssl'), async () => {
    const ada = await certified((tls) => throughGateway(uri, { tls }));
    const verified = `sslmode=verify-full sslrootcert=${ada.caFile} channel_binding=require`;
    const { stdout } = await psql(
      connectionOf(ada, verified).replace('host=127.0.0.1', 'host=localhost hostaddr=127.0.0.1'),
    );
    assert.match(stdout, /done/);
    await assert.rejects(psql(connectionOf(ada, 'sslmode=disable')), /encrypted connections only/);
    const direct = await ada.connect({
      ssl: { ca: ada.authority, servername: 'localhost' },
      sslnegotiation: 'direct',
    });
    assert.deepEqual((await direct.query('select 1 as a')).rows, [{ a: 1 }]);
    await direct.end();
  });

  it('is told the same for a wrong password, an unknown person and another data source', async () => {
    const ada = await throughGateway(uri);
    const wrongs = [{ password: 'wrong' }, { user: 'nobody' }, { database: 'nowhere' }];
    const told = await Promise.all(
      wrongs.map((wrong) =>
        ada.connect(wrong).then(
          () => 'let in',
          (error: unknown) => (error as Error).message,
        ),
      ),
    );
    assert.deepEqual(new Set(told), new Set(['the password is wrong, has ended, or belongs to another data source']));
  });

  it('has the encoding that it asks for, and without one that of the database', async () => {
    const ada = await throughGateway(uri);
    for (const encoding of ['LATIN1', 'UTF8', 'WIN1252']) {
      const { stdout } = await psqlOne(connectionOf(ada, `client_encoding=${encoding}`), 'show client_encoding');
      assert.equal(stdout.trim(), encoding);
    }
  });

  it('may name person and data source in one, and gets no parameter passed on that is not known', async () => {
    const ada = await throughGateway(uri);
    const user = `${ada.login.user}@${ada.login.database}`;
    const client = await ada.connect({ user, database: user });
    await client.end();
    await assert.rejects(ada.connect({ replication: 'database' } as pg.ClientConfig), /replication is refused/);
  });
});
