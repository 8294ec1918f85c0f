import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseConnectionUri } from '@rolecall/api';
import type pg from 'pg';
import { createGuard } from '../../../../server/databases/guard/index.ts';
import { endLeftBehind } from '../../../../server/gateway/postgresql/end-left-behind.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { failureOf } from '../protocols.ts';
import { open } from '../through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres() : undefined;
after(() => server?.stop());

const guard = createGuard({ networks: { denied: [], allowed: ['127.0.0.0/8'] } });

describe('a session that a gateway has left at PostgreSQL', skipped, () => {
  it('is ended, and no other one that has got its process id or belongs to another account', async () => {
    const admin = await open({ connectionString: server?.uri });
    await admin.query(`create role app login password 'Secret-1'`);
    // People who share the account may do this to it.
    await admin.query(`create schema evil;
      create function evil.never(int, int) returns bool language sql as 'select false';
      create operator evil.= (leftarg = int, rightarg = int, function = evil.never);
      grant usage on schema evil to app;
      alter role app set search_path = evil, pg_catalog`);
    const uri = (server?.uri ?? '').replace(/\/\/[^@]+@/, '//app:Secret-1@');
    const end = (client: pg.Client, ageMs: number) => {
      const { processID: processId } = client as unknown as { processID: number };
      const address = '127.0.0.1';
      return endLeftBehind(parseConnectionUri(uri), address, [{ processId, address, ageMs }], guard);
    };
    const client = await open({ connectionString: uri });
    const readyAt = performance.now();
    const age = (): number => performance.now() - readyAt;
    for (const wrong of [60_000, -60_000]) await end(client, age() + wrong);
    assert.equal((await client.query('select 1')).rowCount, 1);
    await end(admin, age());
    assert.equal((await admin.query('select 1')).rowCount, 1);
    const failed = failureOf(client.query('select pg_catalog.pg_sleep(600)'));
    await end(client, age());
    assert.equal((await failed).code, '57P01');
    await admin.end();
  });

  it('is not ended where the server does not let the account in, which is said without its password', async () => {
    const uri = parseConnectionUri((server?.uri ?? '').replace(/:[^:@]+@/, ':Wrong-1@'));
    await assert.rejects(endLeftBehind(uri, '127.0.0.1', [], guard), (error: Error) => {
      assert.match(error.message, /go on there: .*password authentication failed/);
      return !error.message.includes('Wrong-1');
    });
  });
});
