/** Over the embedded store only: the command line knows no store. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import pg from 'pg';
import { until } from '../../../server/person-api/in-editor.ts';
import { signedIn } from '../../../server/support/person.ts';
import { startTestService } from '../../../server/support/service.ts';
import { makeCertificates } from '../../../support/databases/certificates.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { CapturedOutput, runCommand, runInProcess, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { asPerson } from '../query/as-person.ts';

const terminal = () => Object.assign(new CapturedOutput(), { isTTY: true });

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

  it('starts mariadb as the person', requires('mariadb'), async (test) => {
    const server = await startMariadb();
    test.after(() => server.stop());
    const service = await startTestService({ gatewayMysql: { host: '127.0.0.1', port: 0 } });
    using ada = await asPerson(service, server.uri);
    const command = ['connect', ada.alias, '--', '--batch', '-e'];
    // What the environment has for the client does not count.
    const env = { ...ada.env, MYSQL_HOST: 'elsewhere.invalid', MYSQL_TCP_PORT: '1' };
    const selected = await startCommand([...command, 'select database() as at, 6*7 as n'], { env }).finished;
    assert.equal(selected.code, 0, selected.stderr);
    assert.equal(selected.stdout, 'at\tn\nrolecall\t42\n');
    assert.equal((await startCommand([...command, 'selec 1'], { env }).finished).code, 1);
  });

  it('demands a certificate for the name of the gateway from mariadb', requires('mariadb', 'openssl'), async (test) => {
    const server = await startMariadb();
    test.after(() => server.stop());
    using folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      const at = path.join(folder.path, name);
      writeFileSync(at, text);
      return at;
    };
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    // Leads to this machine, and is not known as loopback.
    const host = '0.0.0.0';
    for (const [name, code] of [
      [`IP:${host}`, 0],
      ['DNS:localhost', 1],
    ] as const) {
      const { authority, certificate, key } = makeCertificates(name);
      const service = await startTestService({
        gatewayMysql: { host: '127.0.0.1', port: 0 },
        gatewayAddress: { host, port: 1 },
        tls: { certFile: file('cert.pem', certificate), keyFile: file('key.pem', key) },
      });
      using ada = await asPerson(service, server.uri);
      const env = {
        ...ada.env,
        NODE_EXTRA_CA_CERTS: file('authority.pem', authority),
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      };
      const command = ['connect', ada.alias, '--', '--batch', '-e', "show status like 'Ssl_version'"];
      const found = await startCommand(command, { env }).finished;
      assert.equal(found.code, code, found.stderr);
      if (code === 1) assert.match(found.stderr, /ERROR 2026 .*certificate/i);
    }
  });

  it('signs the person in first, at a terminal, and goes on', async () => {
    const service = await startTestService({ gatewayAddress: { host: '127.0.0.1', port: 6432 } });
    using ada = await asPerson(service, 'postgresql://u:p@127.0.0.1:1/x');
    using folder = temporaryFolder();
    const env = { ROLECALL_URL: service.url, XDG_CONFIG_HOME: folder.path };
    const command = ['connect', ada.alias, '--print'];
    // No one could confirm a code that no one sees.
    assert.match((await runCommand(command, { env })).stderr, /you are not signed in at .*: run rolecall login/);
    const browser = await signedIn(service, ada.person.id);
    for (const [more, redirects] of [
      [{ BROWSER: 'true' }, true],
      [{}, false],
    ] as const) {
      const [stdout, stderr] = [terminal(), terminal()];
      const finished = runInProcess(command, { ...env, ...more }, { stdin: Readable.from([]), stdout, stderr });
      await until(() => /[B-Z]{4}-[B-Z]{4}/.test(stderr.text));
      const [code] = /[B-Z]{4}-[B-Z]{4}/.exec(stderr.text) ?? [];
      const { redirect } = await browser.ok('confirmLogin', 'POST', `/login/${code}/confirm`);
      assert.equal(redirect !== null, redirects);
      if (redirect !== null) await fetch(redirect);
      assert.equal(await finished, 0, stderr.text);
      assert.match(stdout.text, /^postgresql:\/\/\w+:[\w-]+@127\.0\.0\.1:6432\/\S+\n$/);
      assert.match(stderr.text, /You are signed in as/);
      // A session that was ended is noticed, and another one is opened.
      const [own] = (await browser.ok('listMySessions', 'GET', '/session')).filter(({ isCurrent }) => !isCurrent);
      await browser.call('DELETE', `/session/${own?.id}`);
    }
    const refused = await runInProcess([...command, '--no-login'], env, {
      stdin: Readable.from([]),
      stdout: terminal(),
      stderr: terminal(),
    });
    assert.equal(refused, 1);
  });

  it('names the address that the service was told for each product', async () => {
    const host = 'db.example.com';
    const service = await startTestService({
      gatewayMysqlAddress: { host, port: 6433 },
      gatewayMariadbAddress: { host, port: 6434 },
    });
    const mysqlOnly = await startTestService({ gatewayMysqlAddress: { host, port: 6433 } });
    for (const [from, type, port] of [
      [service, 'mysql', 6433],
      [service, 'mariadb', 6434],
      [mysqlOnly, 'mariadb', 6433],
    ] as const) {
      using ada = await asPerson(from, `${type}://u:p@127.0.0.1:1/x`);
      const { stdout } = await runCommand(['connect', ada.alias, '--format', 'json'], { env: ada.env });
      const { gateway } = JSON.parse(stdout) as { gateway: unknown };
      assert.deepEqual(gateway, { host, port });
    }
    using ben = await asPerson(mysqlOnly, 'postgresql://u:p@127.0.0.1:1/x');
    assert.match((await runCommand(['connect', ben.alias], { env: ben.env })).stderr, /with --gateway-address where/);
  });

  it('says what is missing', async () => {
    const service = await startTestService();
    using ada = await asPerson(service, 'postgresql://u:p@127.0.0.1:1/x');
    const none = await runCommand(['connect', ada.alias], { env: ada.env });
    assert.match(none.stderr, /the service knows of no gateway for source\d+: its operator starts one/);
    using ben = await asPerson(service, 'mysql://u:p@127.0.0.1:1/x');
    const other = await runCommand(['connect', ben.alias], { env: ben.env });
    assert.match(other.stderr, /no gateway for source\d+: its operator starts one with --gateway-mysql/);
    const both = await runCommand(['connect', ada.alias, '--print', '--env'], { env: ada.env });
    assert.match(both.stderr, /give one of --print/);
    const address = { host: 'db.example.com', port: 6434 };
    const reached = await startTestService({ gatewayMariadbAddress: address, gatewayAddress: address });
    for (const [type, clients] of [
      ['mariadb', 'mariadb or mysql'],
      ['postgresql', 'psql'],
    ] as const) {
      using cyd = await asPerson(reached, `${type}://u:p@127.0.0.1:1/x`);
      const lacking = await runCommand(['connect', cyd.alias], { env: { ...cyd.env, PATH: '/nowhere' } });
      assert.match(lacking.stderr, new RegExp(`no client is installed: install ${clients}, or print`));
    }
  });
});
