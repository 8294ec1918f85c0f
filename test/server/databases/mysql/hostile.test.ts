import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { failedWith, givenUp, secret, uriOf, withPeer } from '../../../support/failing-peers.ts';

describe('a data source that pretends to be MySQL', () => {
  const packet = (sequence: number, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from([body.length & 255, (body.length >> 8) & 255, body.length >> 16, sequence]), body]);
  const greeting = (plugin: string): Buffer =>
    packet(
      0,
      Buffer.concat([
        Buffer.from('\x0a8.0.36\0\x01\0\0\0abcdefgh\0', 'latin1'),
        Buffer.from([0xff, 0xf7, 0xff, 0x02, 0x00, 0xff, 0xdf, 0x15]),
        Buffer.alloc(10),
        Buffer.from(`ijklmnopqrst\0${plugin}\0`, 'latin1'),
      ]),
    );
  const ok = packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0]));

  it('gives its reason when it refuses before its greeting', async () => {
    const refusal = packet(0, Buffer.from('\xff\x10\x04Too many connections', 'latin1'));
    const message = await withPeer(
      (socket) => socket.write(refusal),
      (peer) => givenUp(uriOf('mysql', peer.port)),
    );
    assert.match(message, /Too many connections/);
  });

  it('is not sent the password in clear', async () => {
    const wants = (socket: Socket): void => {
      socket.write(greeting('mysql_clear_password'));
      socket.once('data', () => socket.write(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1'))));
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
        socket.once('data', () => socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1'))));
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
