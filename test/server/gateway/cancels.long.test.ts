import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { type CancelKey, cancelRequest } from '../../../server/protocols/postgresql/startup.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { until } from '../person-api/in-editor.ts';
import { keyOf } from '../support/wire.ts';
import { throughGateway } from './through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres() : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** How many requests are sent, and how many of them at a time: the gateway takes 128 from one address. */
const [requests, atATime] = [10_000, 100];

/** Sends a request to cancel, and waits until the gateway has closed the connection. */
async function cancel(port: number, key: CancelKey): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().end(cancelRequest.encode(key));
  await new Promise((resolve) => socket.once('close', resolve));
}

const sockets = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;

describe('requests to cancel that race', skipped, () => {
  it('stop statements of the session whose key they have, and of no other, in bounded memory and sockets', async () => {
    const ada = await throughGateway(uri);
    const { port } = ada.login;
    const gone: CancelKey[] = [];
    for (let count = 0; count < 20; count += 1) {
      const client = await ada.connect();
      gone.push(keyOf(client));
      await client.end();
    }
    const bystanders = await Promise.all([1, 2, 3].map(() => ada.connect({ application_name: 'bystander' })));
    const hit: unknown[] = [];
    for (const one of bystanders) one.query('select pg_sleep(1000)').catch((error: unknown) => hit.push(error));
    const others = bystanders.map(keyOf);

    const targets = await Promise.all([1, 2, 3].map(() => ada.connect()));
    const own = targets.map(keyOf);
    const codes: (string | undefined)[] = [];
    const end = { isNear: false };
    const working = targets.map(async (client) => {
      while (!end.isNear) {
        const failed = await client.query('select pg_sleep(0.2)').then(
          () => undefined,
          (error: unknown) => error as pg.DatabaseError,
        );
        if (failed !== undefined) codes.push(failed.code);
      }
    });

    const any = <T>(of: readonly T[]): T => of[randomInt(of.length)] ?? assert.fail('there is none');
    const kinds: readonly (() => CancelKey)[] = [
      () => any(own),
      () => any(gone),
      // Right for another session, one bit off, guessed, cut short, and of no session at all.
      () => ({ processId: any(others).processId, secret: any([...own, ...gone]).secret }),
      () => {
        const { processId, secret } = any(others);
        return { processId, secret: Buffer.from(secret.map((byte, at) => (at === 3 ? byte ^ 1 : byte))) };
      },
      () => ({ processId: any(others).processId, secret: randomBytes(4) }),
      () => ({ processId: any(others).processId, secret: Buffer.concat([any(others).secret, randomBytes(28)]) }),
      () => ({ processId: any(others).processId, secret: any(others).secret.subarray(0, 3) }),
      () => ({ processId: randomInt(1, 2 ** 31), secret: randomBytes(4) }),
    ];
    const socketsBefore = sockets();
    let [sent, mostSockets, halfway] = [0, 0, 0];
    const senders = Array.from({ length: atATime }, async () => {
      while (sent < requests) {
        sent += 1;
        // By then, the process has what memory it needs for so many at a time.
        if (sent === requests / 2) halfway = process.memoryUsage().rss;
        await cancel(port, (kinds[sent % kinds.length] ?? assert.fail('there is none'))());
        mostSockets = Math.max(mostSockets, sockets());
      }
    });
    await Promise.all(senders);
    const grown = (process.memoryUsage().rss - halfway) / 1024 / 1024;
    end.isNear = true;
    await Promise.all(working);

    assert.deepEqual(hit, []);
    const admin = new pg.Client({ connectionString: uri });
    await admin.connect();
    const sleeping = "select 1 from pg_stat_activity where application_name = 'bystander' and state = 'active'";
    assert.equal((await admin.query(sleeping)).rowCount, bystanders.length);
    await admin.end();
    assert.ok(codes.length > 10, `${codes.length} statements were stopped`);
    assert.deepEqual(new Set(codes), new Set(['57014']));
    // The sender's end, the gateway's, and the gateway's own to the database.
    assert.ok(mostSockets - socketsBefore <= 3 * atATime + 20, `${mostSockets - socketsBefore} more sockets`);
    assert.ok(grown < 100, `${grown.toFixed(0)} MiB more`);
    await until(() => sockets() <= socketsBefore);

    for (const [index, one] of bystanders.entries()) await cancel(port, others[index] ?? keyOf(one));
    await until(() => hit.length === bystanders.length);
    for (const client of [...bystanders, ...targets]) {
      assert.deepEqual((await client.query('select 1 as a')).rows, [{ a: 1 }], 'the session goes on');
      await client.end();
    }
  });
});
