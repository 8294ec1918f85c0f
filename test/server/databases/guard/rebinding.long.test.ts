import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { createGuard } from '../../../../server/databases/guard/index.ts';
import { testConnection } from '../../../../server/databases/index.ts';
import { runCommands } from '../../../../server/databases/run.ts';
import { makeCertificates, trust } from '../../../support/databases/certificates.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';
import { assertNothingLeft, openHandles } from '../../../support/handles.ts';
import { type Collected, collector } from '../collect.ts';
import { type Proxy, startProxy } from '../proxy.ts';

/** Where the database is, and where a name that is asked for a second time leads: there no one may be seen. */
const [good, bad] = ['127.0.0.2', '127.0.0.3'];

/** A resolver whose first answer is the good address, and every later one the bad. */
function rebinding(...first: string[]) {
  const asked: string[] = [];
  const lookup = (host: string) => {
    asked.push(host);
    const found = asked.length === 1 ? first : [bad];
    return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  return { asked, guard: createGuard({ networks: { denied: [bad], allowed: ['127.0.0.0/8'] }, lookup }) };
}

const certificates = () => {
  const { authority, certificate, key } = makeCertificates();
  trust(authority);
  return { 'server.pem': certificate, 'server.key': key };
};

const databases = {
  postgresql: {
    start: () => startPostgres({ ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' }, certificates()),
    busy: 'select pg_sleep(1000)',
    tls: '?sslmode=verify-full',
  },
  mariadb: {
    start: () => startMariadb(['--ssl-cert={folder}/server.pem', '--ssl-key={folder}/server.key'], certificates()),
    busy: 'SELECT sleep(1000)',
    tls: '?ssl-mode=verify_identity',
  },
} as const;

for (const name of ['postgresql', 'mariadb'] as const) {
  const { start, busy, tls } = databases[name];
  describe(`a name that changes its meaning, of a ${name} data source`, requires(name, 'openssl'), () => {
    let server: DatabaseServer;
    let proxy: Proxy;
    let trap: Server;
    let trapped = 0;
    before(async () => {
      server = await start();
      proxy = await startProxy(server, good);
      trap = createServer((socket) => {
        trapped += 1;
        socket.destroy();
      }).listen(proxy.port, bad);
      await once(trap, 'listening');
    });
    after(async () => {
      trap.close();
      await proxy.close();
      await server.stop();
    });
    const uriOf = (host: string, more = ''): string =>
      `${name}://${server.user}:${server.password}@${host}:${proxy.port}/rolecall${more}`;

    for (const [how, host, more] of [
      ['in plain text', 'db.example', ''],
      ['over TLS that is verified against the name', 'localhost', tls],
    ] as const) {
      it(`is asked for once: the query and its cancel go to the address that was checked, ${how}`, async () => {
        const handles = openHandles();
        const { asked, guard } = rebinding(good);
        const controller = new AbortController();
        const before = proxy.connections();
        const uri = parseConnectionUri(uriOf(host, more));
        const results: Collected[] = [];
        const outcome = runCommands(uri, [busy], collector(results), { guard, signal: controller.signal });
        const state = { ended: false };
        void outcome.then(() => {
          state.ended = true;
        });
        while (!state.ended && results.length === 0) await sleep(5);
        controller.abort(new Error('cancelled'));
        assert.deepEqual(await outcome, { success: false, message: 'cancelled', result: 0, cancelled: true });
        assert.ok(proxy.connections() >= before + 2, 'no cancel');
        assert.deepEqual(asked, [host]);
        assert.equal(trapped, 0);
        await assertNothingLeft(handles);
      });

      it(`is asked for once by a test, ${how}`, async () => {
        const { asked, guard } = rebinding(good);
        const outcome = await testConnection(uriOf(host, more), { guard });
        assert.ok(outcome.success, JSON.stringify(outcome));
        assert.deepEqual([asked, trapped], [[host], 0]);
      });
    }

    it('has to be the name of the certificate, wherever it leads', async () => {
      const { guard } = rebinding(good);
      const outcome = await testConnection(uriOf('db.example', tls), { guard });
      assert.match(outcome.success ? '' : outcome.message, /does not match certificate/);
    });

    it('leads nowhere when its address is denied, and the reason is given', async () => {
      const { guard } = rebinding(bad);
      const outcome = await testConnection(uriOf('db.example'), { guard });
      assert.ok(!outcome.success);
      assert.match(
        outcome.message,
        /^the host db\.example is 127\.0\.0\.3, which is in 127\.0\.0\.3\/32: .*--allow-network/,
      );
      const { signal } = new AbortController();
      const run = await runCommands(parseConnectionUri(uriOf('db.example')), [busy], collector([]), { guard, signal });
      assert.deepEqual(run, {
        success: false,
        message: run.success ? '' : run.message,
        result: null,
        cancelled: false,
      });
      assert.match(run.success ? '' : run.message, /127\.0\.0\.3\/32/);
      assert.equal(trapped, 0);
    });

    it('leads to those of its addresses that are not denied', async () => {
      const { guard } = rebinding(bad, '::ffff:127.0.0.3', good);
      const outcome = await testConnection(uriOf('db.example'), { guard });
      assert.ok(outcome.success, JSON.stringify(outcome));
      assert.equal(trapped, 0);
    });

    it('that is an address in another spelling leads nowhere either', async () => {
      const guard = createGuard({ networks: { denied: [bad], allowed: ['127.0.0.0/8'] } });
      for (const host of [
        bad,
        '2130706435',
        '0x7f000003',
        '0177.0.0.3',
        '127.3',
        '[::ffff:127.0.0.3]',
        '[::ffff:7f00:3]',
      ]) {
        const refusal = await guard.refusal(parseConnectionUri(uriOf(host)));
        assert.match(refusal ?? '', /127\.0\.0\.3, which is in 127\.0\.0\.3\/32/, host);
        const outcome = await testConnection(uriOf(host), { guard });
        assert.match(outcome.success ? '' : outcome.message, /127\.0\.0\.3\/32|ENOTFOUND|EAI_/, host);
      }
      assert.equal(trapped, 0);
    });
  });
}
