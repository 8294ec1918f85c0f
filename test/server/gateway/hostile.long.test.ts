import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../person-api/in-editor.ts';
import { type Client, type Protocol, protocols, useServer } from './protocols.ts';

for (const protocol of protocols) await testHostile(protocol);

async function testHostile(protocol: Protocol): Promise<void> {
  const { skipped, uri, count } = await useServer(protocol);

  describe(`the gateway to ${protocol.name}`, skipped, () => {
    it('stands a thousand connections that send anything, and serves people beside them', async () => {
      const ada = await protocol.through(uri);
      const good = await ada.connect();
      const sockets: Socket[] = [];
      for (let index = 0; index < 1000; index += 1) {
        const socket = connect(ada.login.port, '127.0.0.1').on('error', () => undefined);
        // Some say nothing, and some are cut off in the middle of a packet.
        if (index % 3 === 1) socket.write(randomBytes(index));
        if (index % 3 === 2) socket.write(protocol.firstPacket(randomBytes(100)).subarray(0, 50));
        socket.resume();
        sockets.push(socket);
      }
      for (let value = 0; value < 100; value += 1) {
        assert.deepEqual(await good.rows(`select ${value} as a`), [{ a: value }]);
        await sleep(5);
      }
      for (const socket of sockets) socket.destroy();
      await good.end();
      const letsIn = async (): Promise<boolean> => {
        await (await ada.connect()).end();
        return true;
      };
      await until(() => letsIn().catch(() => false));
    });

    it('never tells the password of the data source, not in an error either', async () => {
      const ada = await protocol.through(uri.replace(/:[^:@]*@/, ':s3cret-Of-The-Source@'));
      await assert.rejects(ada.connect(), (error: Error) => {
        assert.match(error.message, /^the data source cannot be reached: /);
        assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /s3cret/);
        return true;
      });
    });

    it('takes bounded memory for 200 clients that do not read, and ends their sessions with the access', async () => {
      const ada = await protocol.through(uri);
      const clients: Client[] = [];
      const before = process.memoryUsage.rss();
      while (clients.length < 200) {
        for (const client of await Promise.all(Array.from({ length: 40 }, () => ada.connect()))) {
          client.rows(protocol.largeRows).catch(() => undefined);
          client.stream.pause();
          clients.push(client);
        }
        await until(async () => (await count(protocol.blocked)) === clients.length);
      }
      const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
      assert.ok(grown < 300, `${grown.toFixed(0)} MiB more`);
      await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
      await until(async () => (await count(protocol.running('select repeat'))) === 0);
      for (const { stream } of clients) stream.destroy();
    });

    it('follows a session through any bytes of its client: it goes on, or ends with an error', async () => {
      const ada = await protocol.through(uri);
      for (let index = 0; index < 30; index += 1) {
        const { stream } = await ada.connect();
        const ended = once(stream, 'close');
        stream.write(randomBytes(1 + index * 50));
        stream.end();
        await Promise.race([ended, sleep(60_000, undefined, { ref: false }).then(() => assert.fail('it hangs'))]);
      }
      const client = await ada.connect();
      assert.deepEqual(await client.rows('select 1 as a'), [{ a: 1 }]);
      await client.end();
    });
  });
}
