import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { temporaryFolder } from '../../support/service.ts';
import { auditedRuns, certified } from '../through-gateway.ts';
import { type ThroughGateway, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server =
  skipped.skip === false
    ? await startMariadb(['--general-log', '--log-output=TABLE', '--max-allowed-packet=64M'])
    : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** What the command-line client is asked to do. */
const script = String.raw`
select 1 as one, 'ä€😀' as text, null as nothing;
create temporary table t (i int, s text);
insert into t values (1, 'one'), (2, 'two');
select * from t order by i;
select no_such_column from t;
selec 1;
delimiter //
select 1; select 2 //
create or replace procedure p() begin select 1 as a; select 2 as b; update t set s = 'x' where i = 1; end //
delimiter ;
call p();
prepare q from 'select i from t where i > ?'; set @a = 1; execute q using @a; deallocate prepare q;
begin; insert into t values (3, 'three'); rollback;
select 1 / 0; show warnings;
use mysql; select database(); use rolecall; use nowhere;
select repeat('x', 100000) as large;
select @@character_set_client, @@collation_connection, @@sql_mode, @@autocommit, user();
explain select * from t;
select 'done';
`;

async function commandLine(login: ThroughGateway['login'], args: readonly string[] = []): Promise<string> {
  const file = path.join(await temporaryFolder(), 'script.sql');
  await writeFile(file, script);
  const where = [`--host=${login.host}`, `--port=${login.port}`, `--user=${login.user}`];
  const { stdout } = await promisify(execFile)(
    'mariadb',
    ['--no-defaults', ...where, '--force', '-vvv', `--execute=source ${file}`, ...args],
    { env: { ...process.env, MYSQL_PWD: login.password }, maxBuffer: 16 * 1024 * 1024 },
  );
  return stdout.replaceAll(/\(\d+\.\d+ sec\)|source \S+/g, '');
}

const directly = () => ({ ...mysqlLogin(), database: 'rolecall' });
function mysqlLogin(): ThroughGateway['login'] {
  const { host = '', port = 0, user = '', password = '' } = server ?? {};
  return { host, port, user, password, database: '' };
}

/** Names the data source with the user, so that there may be a database too. */
const joined = ({ login }: ThroughGateway): ThroughGateway['login'] => ({
  ...login,
  user: `${login.user}@${login.database}`,
});

/** Gives what a client of mysql2 sees of everything that the protocol has. */
async function seenBy(client: mysql.Connection): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = async (asked: Promise<unknown>): Promise<void> => {
    try {
      const result = await asked;
      seen.push(Array.isArray(result) ? (result as unknown[])[0] : result);
    } catch (error) {
      const { message, errno, sqlState } = error as { message: string; errno: number; sqlState: string };
      seen.push({ message, errno, sqlState });
    }
  };
  await note(client.query("select 1 as a, 'ä€😀' as b, null as c"));
  await note(client.execute('select ? + 1 as a, ? as b', [41, 'x']));
  await note(client.execute('select ? + 1 as a, ? as b', [42, 'y']));
  await note(client.execute('selec ?', [1]));
  await note(client.query('select 1; select 2; selec 3'));
  await note(client.query('create temporary table t (i int primary key auto_increment, s longtext)'));
  await note(client.query("insert into t (s) values ('a'), ('b')"));
  await note(client.execute('insert into t (s) values (?)', ['y'.repeat(17 * 1024 * 1024)]));
  await note(client.query('select length(s) as l from t order by i'));
  await note(client.query("select repeat('z', 17000000) as large"));
  await note(client.query('select seq, repeat(seq, 10) as r from seq_1_to_5000'));
  await note(client.execute('select seq from seq_1_to_300 where seq > ?', [7]));
  await note(client.ping());
  await note(client.query('do 0'));
  const together = Promise.all([
    client.query('select 1 as p'),
    client.execute('select 2 as p'),
    client.query('select 3'),
  ]);
  await note(together.then((all) => [all.map(([rows]) => rows)]));
  return seen;
}

/** How many statements the server has logged of one of its connections. */
async function loggedBy(thread: number): Promise<number> {
  const admin = await mysql.createConnection({ uri });
  const [rows] = await admin.query<mysql.RowDataPacket[]>(
    "select count(*) as n from mysql.general_log where thread_id = ? and command_type in ('Query', 'Execute', 'Init DB')",
    [thread],
  );
  await admin.end();
  return Number(rows[0]?.['n']);
}

describe('a client of MySQL through the gateway', skipped, () => {
  it("sees with MariaDB's command line exactly what it sees without", async () => {
    const ada = await throughGateway(uri);
    const direct = await commandLine(mysqlLogin(), ['--database=rolecall']);
    assert.match(direct, /done/);
    assert.equal(await commandLine(joined(ada)), direct);
    assert.equal(await commandLine(ada.login, [`--database=${ada.login.database}`]), direct);
  });

  it('sees with mysql2 exactly what it sees without, also what is larger than 16 MiB', async () => {
    const ada = await throughGateway(uri);
    const options = { multipleStatements: true };
    const direct = await mysql.createConnection({ ...directly(), ...options });
    const through = await ada.connect(options);
    assert.deepEqual(await seenBy(through), await seenBy(direct));
    await direct.end();
    await through.end();
  });

  it('is in the audit trail with exactly the statements that the server has logged', async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect();
    const [rows] = await client.query<mysql.RowDataPacket[]>('select connection_id() as id');
    const thread = Number(rows[0]?.['id']);
    await seenBy(client);
    await client.end();
    assert.equal(await auditedRuns(ada), await loggedBy(thread));
  });

  it('logs in by either plugin, and is told the same whatever is wrong', async () => {
    const ada = await throughGateway(uri);
    const plugins = ['caching_sha2_password', 'mysql_native_password'];
    for (const plugin of plugins) {
      const args = [`--default-auth=${plugin}`, '--database', ada.login.database];
      assert.match(await commandLine(ada.login, args), /done/);
    }
    const wrongs = [{ password: 'wrong' }, { password: '' }, { user: 'nobody' }, { database: 'nowhere' }];
    const told = await Promise.all(
      wrongs.map((wrong) =>
        ada.connect(wrong).then(
          () => 'let in',
          (error: unknown) => (error as Error).message,
        ),
      ),
    );
    const [one = ''] = told;
    assert.match(one, /^the password is wrong, has ended, or belongs to another data source/);
    assert.equal(new Set(told).size, 1);
  });

  it('has the character set that it asks for, also one that the driver of the gateway cannot write', async () => {
    const ada = await throughGateway(uri);
    for (const name of ['gbk', 'sjis', 'swe7', 'dec8', 'hp8', 'keybcs2', 'geostd8', 'eucjpms']) {
      const args = [`--default-character-set=${name}`, '--database=rolecall'];
      const direct = await commandLine(mysqlLogin(), args);
      assert.match(direct, new RegExp(`\\b${name}_\\w+_ci\\b`));
      assert.equal(await commandLine(joined(ada), args.slice(0, 1)), direct);
    }
  });

  it('needs no plugin: drivers that are older than plugins prove the password by the greeting alone', async () => {
    const ada = await throughGateway(uri);
    // The greeting names the plugin of the server that was reached last, and mysql2 goes by that.
    await (await ada.connect()).end();
    const client = await ada.connect({ flags: ['-PLUGIN_AUTH', '-PLUGIN_AUTH_LENENC_CLIENT_DATA'] });
    assert.deepEqual((await client.query('select 1 as a'))[0], [{ a: 1 }]);
    await client.end();
  });

  it('is let in with TLS only, where the gateway has a certificate', requires('openssl'), async () => {
    const ada = await certified((tls) => throughGateway(uri, { tls }));
    const login = { ...joined(ada), host: 'localhost' };
    const tls = ['--protocol=tcp', '--ssl', '--ssl-verify-server-cert', `--ssl-ca=${ada.caFile}`];
    assert.match(await commandLine(login, tls), /done/);
    await assert.rejects(commandLine(login, ['--protocol=tcp', '--skip-ssl']), /encrypted connections only/);
    const client = await ada.connect({ ssl: { ca: ada.authority, rejectUnauthorized: true } });
    assert.deepEqual((await client.query('select 1 as a'))[0], [{ a: 1 }]);
    await client.end();
  });
});
