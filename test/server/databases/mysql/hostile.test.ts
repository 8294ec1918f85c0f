import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { okPacket } from '../../../../server/protocols/mysql/answers.ts';
import * as startup from '../../../../server/protocols/mysql/startup.ts';
import { failedWith, givenUp, secret, uriOf, withPeer } from '../../../support/failing-peers.ts';
import { packet } from '../../support/wire.ts';

describe('a data source that pretends to be MySQL', () => {
  const greeting = (plugin: string): Buffer =>
    startup.greeting.encode({
      version: '8.0.36',
      connectionId: 1,
      nonce: Buffer.from('abcdefghijklmnopqrst'),
      capabilities: 0xdfff_f7ff,
      plugin,
    });
  const ok = okPacket.encode(2);

  it('gives its reason when it refuses before its greeting', async () => {
    const refusal = packet(0, '\xff\x10\x04Too many connections');
    const message = await withPeer(
      (socket) => socket.write(refusal),
      (peer) => givenUp(uriOf('mysql', peer.port)),
    );
    assert.match(message, /Too many connections/);
  });

  it('is not sent the password in clear', async () => {
    const wants = (socket: Socket): void => {
      socket.write(greeting('mysql_clear_password'));
      socket.once('data', () => socket.write(packet(2, '\xfemysql_clear_password\0')));
    };
    await withPeer(wants, async (peer) => {
      await givenUp(uriOf('mysql', peer.port));
      assert.ok(peer.received().length > 0);
      assert.ok(!peer.received().includes(secret));
    });
  });

  it('is not sent a file', async () => {
    const wants = (socket: Socket): void => {
      socket.write(greeting('mysql_native_password'));
      socket.once('data', () => {
        socket.write(ok);
        socket.once('data', () => socket.write(packet(1, '\xfb/etc/passwd')));
      });
    };
    await withPeer(wants, async (peer) => {
      await givenUp(uriOf('mysql', peer.port));
      assert.match(peer.received().toString('latin1'), /VERSION/);
      assert.doesNotMatch(peer.received().toString('latin1'), /root:/);
    });
  });

  it('that sends random packets after its greeting harms nothing', async () => {
    for (let run = 0; run < 100; run += 1) {
      const bytes = randomBytes(1 + (run % 60));
      const send = (socket: Socket): void => {
        socket.write(greeting('mysql_native_password'));
        socket.once('data', () => {
          socket.write(run % 2 === 0 ? packet(2, bytes) : ok);
          if (run % 2 === 1) socket.once('data', () => socket.end(packet(1, bytes)));
          else socket.end();
        });
      };
      await withPeer(send, (peer) => givenUp(uriOf('mysql', peer.port), 200).catch(failedWith(bytes)));
    }
  });
});
