import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { makeCertificates, trust } from '../../../support/databases/certificates.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { until } from '../../../support/kubernetes/admin-client.ts';
import { failing, succeeding } from '../../../support/test-outcome.ts';

const logins = `host all old all md5
host all older all password
host all all all scram-sha-256
`;

/** A URI to the server with some of its parts replaced. */
function uriOf({ user, password, host, port }: DatabaseServer, parts: Partial<Record<string, string>> = {}): string {
  const login = parts['login'] ?? `${user}:${parts['password'] ?? password}`;
  return `postgresql://${login}@${parts['host'] ?? host}:${port}/${parts['database'] ?? 'rolecall'}${parts['query'] ?? ''}`;
}

describe('testing a PostgreSQL data source', requires('postgresql'), () => {
  let server: DatabaseServer;
  let admin: pg.Client;
  before(async () => {
    server = await startPostgres({ hba_file: 'hba.conf' }, { 'hba.conf': logins });
    admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
  });
  after(async () => {
    await admin.end();
    await server.stop();
  });

  it('gives the version that the server says', async () => {
    const { rows } = await admin.query<{ server_version: string }>('SHOW server_version');
    const version = await succeeding(server.uri);
    assert.equal(version.productName, 'PostgreSQL');
    assert.equal(version.productVersion, rows[0]?.server_version);
    assert.equal(`${version.major}.${version.minor}`, /^\d+\.\d+/.exec(version.productVersion)?.[0]);
    assert.equal(version.patch, 0);
  });

  it('works by host name and without a parameter that asks for no TLS', async () => {
    await succeeding(uriOf(server, { host: 'localhost' }));
    await succeeding(uriOf(server, { query: '?sslmode=disable&application_name=a%20b&connect_timeout=5' }));
  });

  it('leaves no session behind in the server', async () => {
    await Promise.all(Array.from({ length: 20 }, () => succeeding(server.uri)));
    // The server ends a session a moment after its connection.
    await until(async () => {
      const { rows } = await admin.query<{ count: string }>(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
      return rows[0]?.count === '0';
    }, 'the end of the sessions');
  });

  it('gives the message of a wrong password, without the password', async () => {
    const message = await failing(uriOf(server, { password: 'wr0ng-secret' }), 'wr0ng-secret');
    assert.equal(message, 'password authentication failed for user "rolecall"');
  });

  it('names the user whole, so that no gap tells that the password is a part of it', async () => {
    const message = await failing(uriOf(server, { login: 'rep%20eated:eated' }), 'nowhere');
    assert.equal(message, 'password authentication failed for user "rep eated"');
  });

  it('gives the message of an unknown database', async () => {
    assert.equal(await failing(uriOf(server, { database: 'nowhere' })), 'database "nowhere" does not exist');
  });

  it('takes a database and a user with any characters', async () => {
    await admin.query('CREATE DATABASE "Größe / 1"');
    await admin.query(`CREATE ROLE "ada@corp" LOGIN PASSWORD 'p@ss:/?#% ü'`);
    const password = encodeURIComponent('p@ss:/?#% ü');
    assert.match(await failing(uriOf(server, { database: 'Gr%C3%B6%C3%9Fe%20%2F%201' })), /one database name/);
    await admin.query('ALTER DATABASE "Größe / 1" RENAME TO "Größe 1"');
    await succeeding(uriOf(server, { database: 'Gr%C3%B6%C3%9Fe%201', login: `ada%40corp:${password}` }));
  });

  it('takes the user for the database where the URI names none', async () => {
    await succeeding(uriOf(server, { database: '' }));
  });

  it('says that a password is needed', async () => {
    assert.match(await failing(uriOf(server, { login: 'rolecall' })), /password must be a non-empty string/);
  });

  it('says that a user is needed', async () => {
    assert.match(await failing(server.uri.replace(/\/\/.*@/, '//')), /no PostgreSQL user name specified/);
  });

  it('says that the server has no TLS', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      assert.match(await failing(uriOf(server, { query: `?sslmode=${mode}` })), /does not support SSL/);
    }
  });

  it('logs in with an MD5 password and with a password in clear', async () => {
    await admin.query("SET password_encryption = 'md5'");
    for (const role of ['old', 'older']) {
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'its password'`);
      await succeeding(uriOf(server, { login: `${role}:its%20password` }));
      assert.match(await failing(uriOf(server, { login: `${role}:wr0ng` }), 'wr0ng'), /password authentication failed/);
    }
  });
});

describe('testing a PostgreSQL data source over TLS', requires('postgresql', 'openssl'), () => {
  let server: DatabaseServer;
  before(async () => {
    const { authority, certificate, key } = makeCertificates();
    server = await startPostgres(
      { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' },
      { 'server.pem': certificate, 'server.key': key },
    );
    assert.match(
      await failing(uriOf(server, { query: '?sslmode=verify-ca' })),
      /unable to verify the first certificate/,
      'an authority that no one trusts yet',
    );
    trust(authority);
  });
  after(() => server.stop());

  it('require encrypts, whatever the signer and name of the certificate', async () => {
    await succeeding(uriOf(server, { query: '?sslmode=require' }));
  });

  it('verify-ca wants an authority that is trusted, and any name', async () => {
    await succeeding(uriOf(server, { query: '?sslmode=verify-ca' }));
  });

  it('verify-full wants the name as well', async () => {
    await succeeding(uriOf(server, { host: 'localhost', query: '?sslmode=verify-full' }));
    assert.match(
      await failing(uriOf(server, { query: '?sslmode=verify-full' })),
      /Hostname\/IP does not match certificate/,
    );
  });

  it('gives the message of a wrong password', async () => {
    const message = await failing(uriOf(server, { password: 'wr0ng', query: '?sslmode=require' }), 'wr0ng');
    assert.match(message, /password authentication failed/);
  });
});
