import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { productOf } from '../../../../server/databases/mysql/index.ts';
import { makeCertificates, trust } from '../../../support/databases/certificates.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { until } from '../../../support/kubernetes/admin-client.ts';
import { failing, succeeding } from '../../../support/test-outcome.ts';

/** A URI to the server with some of its parts replaced. */
function uriOf({ user, password, host, port }: DatabaseServer, parts: Partial<Record<string, string>> = {}): string {
  const login = parts['login'] ?? `${user}:${parts['password'] ?? password}`;
  return `${parts['scheme'] ?? 'mariadb'}://${login}@${parts['host'] ?? host}:${port}/${parts['database'] ?? 'rolecall'}${parts['query'] ?? ''}`;
}

describe('testing a MariaDB data source', requires('mariadb'), () => {
  let server: DatabaseServer;
  let admin: Connection;
  before(async () => {
    server = await startMariadb();
    const { host, port, user, password } = server;
    admin = await createConnection({ host, port, user, password });
  });
  after(async () => {
    await admin.end();
    await server.stop();
  });

  it('gives the version that the server says', async () => {
    const [rows] = await admin.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const version = await succeeding(server.uri);
    assert.equal(version.productName, 'MariaDB');
    assert.equal(version.productVersion, rows[0]?.['version']);
    assert.ok(version.productVersion.startsWith(`${version.major}.${version.minor}.${version.patch}`));
    assert.ok(version.major >= 10);
  });

  it('tells the truth about a mysql: URI that reaches a MariaDB', async () => {
    assert.equal((await succeeding(uriOf(server, { scheme: 'mysql' }))).productName, 'MariaDB');
  });

  it('works by host name, without a database and with each character set', async () => {
    await succeeding(uriOf(server, { host: 'localhost', database: '' }));
    for (const charset of ['utf8mb4', 'utf8', 'latin1']) {
      await succeeding(uriOf(server, { query: `?charset=${charset}&ssl-mode=disabled&connect_timeout=5` }));
    }
  });

  it('leaves no session behind in the server', async () => {
    await Promise.all(Array.from({ length: 20 }, () => succeeding(server.uri)));
    // The server ends a session a moment after its connection.
    await until(async () => {
      const [rows] = await admin.query<RowDataPacket[]>(
        "SELECT count(*) AS count FROM information_schema.processlist WHERE user = 'rolecall' AND id <> connection_id()",
      );
      return rows[0]?.['count'] === 0;
    }, 'the end of the sessions');
  });

  it('gives the message of a wrong password, without the password', async () => {
    const message = await failing(uriOf(server, { password: 'wr0ng-secret' }), 'wr0ng-secret');
    assert.match(message, /^Access denied for user 'rolecall'@'[^']+' \(using password: YES\)$/);
  });

  it('gives the message of an unknown database', async () => {
    assert.equal(await failing(uriOf(server, { database: 'nowhere' })), "Unknown database 'nowhere'");
  });

  it('takes a user and a password with any characters', async () => {
    await admin.query("CREATE USER 'ada@corp'@'%' IDENTIFIED BY 'p@ss:/?#% ü'");
    const login = `ada%40corp:${encodeURIComponent('p@ss:/?#% ü')}`;
    await succeeding(uriOf(server, { login, database: '' }));
  });

  it('says that a password or a user is needed', async () => {
    assert.match(await failing(uriOf(server, { login: 'rolecall' })), /Access denied.*using password: NO/);
    assert.match(await failing(server.uri.replace(/\/\/.*@/, '//')), /Access denied/);
  });

  it('says that the server has no TLS', async () => {
    for (const mode of ['required', 'verify_ca']) {
      assert.match(await failing(uriOf(server, { query: `?ssl-mode=${mode}` })), /does not support secure connection/);
    }
  });
});

describe('testing a MariaDB data source over TLS', requires('mariadb', 'openssl'), () => {
  let server: DatabaseServer;
  before(async () => {
    const { authority, certificate, key } = makeCertificates();
    server = await startMariadb(['--ssl-cert={folder}/server.pem', '--ssl-key={folder}/server.key'], {
      'server.pem': certificate,
      'server.key': key,
    });
    assert.match(
      await failing(uriOf(server, { query: '?ssl-mode=verify_ca' })),
      /unable to verify the first certificate/,
      'an authority that no one trusts yet',
    );
    trust(authority);
  });
  after(() => server.stop());

  it('required encrypts, whatever the signer and name of the certificate', async () => {
    await succeeding(uriOf(server, { query: '?ssl-mode=required' }));
  });

  it('verify_ca wants an authority that is trusted, and any name', async () => {
    await succeeding(uriOf(server, { query: '?ssl-mode=verify_ca' }));
  });

  it('verify_identity wants the name as well, and a name to compare', async () => {
    await succeeding(uriOf(server, { host: 'localhost', query: '?ssl-mode=verify_identity' }));
    assert.match(await failing(uriOf(server, { query: '?ssl-mode=verify_identity' })), /by name, not by address/);
  });

  it('gives the message of a wrong password', async () => {
    const message = await failing(uriOf(server, { password: 'wr0ng', query: '?ssl-mode=required' }), 'wr0ng');
    assert.match(message, /Access denied/);
  });
});

describe('the version text of a server of the MySQL family', () => {
  const texts: [string, string, string, number[]][] = [
    ['8.0.36', 'MySQL', '8.0.36', [8, 0, 36]],
    ['8.4.2-0ubuntu0.24.04.1', 'MySQL', '8.4.2-0ubuntu0.24.04.1', [8, 4, 2]],
    ['5.7.44-log', 'MySQL', '5.7.44-log', [5, 7, 44]],
    ['5.5.5-10.11.6-MariaDB-0+deb12u1', 'MariaDB', '10.11.6-MariaDB-0+deb12u1', [10, 11, 6]],
    ['11.4.2-MariaDB-log', 'MariaDB', '11.4.2-MariaDB-log', [11, 4, 2]],
    ['5.5.5-MariaDB', 'MariaDB', '5.5.5-MariaDB', [5, 5, 5]],
    ['unheard of', 'MySQL', 'unheard of', [0, 0, 0]],
  ];
  for (const [text, productName, productVersion, [major, minor, patch]] of texts) {
    it(`${text} is ${productName} ${productVersion}`, () => {
      assert.deepEqual(productOf(text), { productName, productVersion, major, minor, patch });
    });
  }
});
