/** Over the PostgreSQL store only: the embedded one is served by one process. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newPostgresStore } from '../../../server/support/stores.ts';
import { runCommand, startInProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function storeVariables(): Promise<Record<string, string | undefined>> {
  const { databaseUrl, environment } = await newPostgresStore();
  return { ...environment, ROLECALL_DATABASE_URL: databaseUrl };
}

describe('rolecall gateway', () => {
  it('listens on a store in PostgreSQL, tells schedulers and Prometheus how it is, and ends in order', async () => {
    const env = await storeVariables();
    const started = startInProcess(['gateway', '--gateway-postgresql', ':0', '--metrics-port', '0'], { env });
    const told = await started.prints(/Its state is at http/);
    assert.match(told, /Clients of PostgreSQL come in on port [1-9]\d*, by what the store in postgresql:/);
    const [, url = ''] = /state is at (http:\S+)\/healthz/.exec(told) ?? [];
    const read = async (path: string) => {
      const answer = await fetch(`${url}${path}`);
      return [answer.status, await answer.text()] as const;
    };
    assert.deepEqual(await read('/healthz'), [200, '{"status":"ok"}']);
    assert.deepEqual(await read('/readyz'), [200, '{"status":"ready"}']);
    assert.match(
      (await read('/metrics'))[1],
      /^rolecall_gateway_refused_total\{protocol="postgresql",reason="password"\} 0$/m,
    );
    assert.equal((await read('/person/v1/me'))[0], 404);
    started.signal('SIGTERM');
    assert.equal((await started.finished).code, 0);
  });

  it('refuses a store in a folder, which one process serves, and says what to do', async () => {
    using folder = temporaryFolder();
    const { code, stderr } = await runCommand(['gateway', '--data', folder.path, '--gateway-postgresql', ':0']);
    assert.equal(code, 1);
    assert.match(stderr, /only one process can serve .*rolecall serve --gateway-postgresql/);
  });

  it('names what is missing or wrong', async () => {
    const env = await storeVariables();
    const nothing = await runCommand(['gateway'], { env });
    assert.match(nothing.stderr, /say where clients come in: give --gateway-postgresql/);
    const open = await runCommand(['gateway', '--gateway-postgresql', '0.0.0.0:0'], { env });
    assert.match(open.stderr, /listens on 0\.0\.0\.0 only with TLS/);
    const half = await runCommand(['gateway', '--gateway-postgresql', ':0', '--tls-cert', 'cert.pem'], { env });
    assert.match(half.stderr, /--tls-cert is given without --tls-key/);
    const none = await runCommand(['gateway', '--gateway-postgresql', ':0']);
    assert.match(none.stderr, /the store is missing/);
  });
});
