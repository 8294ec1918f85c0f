import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { authentication } from '../../../../server/protocols/postgresql/authentication.ts';
import { givenUp, uriOf, withPeer } from '../../../support/failing-peers.ts';
import { message } from '../../support/wire.ts';

describe('a data source that pretends to be PostgreSQL', () => {
  const ok = authentication.encode(0);
  const ready = message('Z', 'I');
  const hostile: [string, Buffer[]][] = [
    ['an unknown way to log in', [authentication.encode(99)]],
    ['a way to log in that breaks off', [message('R', '')]],
    ['an error that does not end', [message('E', 'SFATAL')]],
    ['an error without its end mark', [message('E', 'SFATAL\0Mno\0')]],
    ['an error in which nothing is', [message('E', '')]],
    ['an error that breaks off inside a batch', [message('E', 'S'), message('Z', 'I')]],
    ['a notice that does not end', [message('N', 'SNOTICE\0M')]],
    ['a message of length 0', [Buffer.from([0x5a, 0, 0, 0, 0, 0x49])]],
    ['a message of 4 GiB', [Buffer.from([0x5a, 0xff, 0xff, 0xff, 0xff, 0x49])]],
    ['a row before there is a query', [message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x41]))]],
    ['a row with less than no columns', [ok, ready, message('D', Buffer.from([0xff, 0xff]))]],
    ['columns that break off', [ok, ready, message('T', Buffer.from([0x7f, 0xff]))]],
    ['the end of a query without a row', [ok, ready, message('C', 'SHOW\0'), ready]],
    ['the wish for a copy', [ok, ready, message('G', Buffer.from([0, 0, 0]))]],
    ['a challenge in the middle of nothing', [authentication.encode(11, 'nonsense')]],
    ['the end of a log-in that did not begin', [authentication.encode(12, 'v=eA==')]],
  ];
  for (const [what, messages] of hostile) {
    it(`with ${what} harms nothing`, async () => {
      for (const whole of [true, false]) {
        const bytes = Buffer.concat(messages);
        const send = (socket: Socket): void => {
          socket.setNoDelay(true);
          if (whole) socket.write(bytes);
          else void drip(socket, bytes);
        };
        await withPeer(send, (peer) => givenUp(uriOf('postgresql', peer.port)));
      }
    });
  }

  it('is not sent what the environment holds', async () => {
    const planted = {
      PGPASSWORD: 'from-the-environment',
      PGUSER: 'user-from-environment',
      PGDATABASE: 'base-from-environment',
      PGOPTIONS: '-c options=from-environment',
      PGAPPNAME: 'name-from-environment',
      PGSSLNEGOTIATION: 'direct',
      PGREPLICATION: 'database',
      USER: 'user-from-environment',
    };
    const before = { ...process.env };
    Object.assign(process.env, planted);
    const wantsPassword = (socket: Socket): void => {
      socket.once('data', () => socket.write(authentication.encode(3)));
    };
    try {
      for (const login of ['', 'ada@']) {
        await withPeer(wantsPassword, async (peer) => {
          await givenUp(`postgresql://${login}127.0.0.1:${peer.port}?sslmode=disable`);
          assert.ok(peer.received().length > 0);
          assert.doesNotMatch(peer.received().toString('latin1'), /environment|replication/);
        });
      }
    } finally {
      for (const key of Object.keys(planted)) Reflect.deleteProperty(process.env, key);
      Object.assign(process.env, before);
    }
  });
});

async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (socket.destroyed) return;
    if (!socket.write(Buffer.from([byte]))) await once(socket, 'drain');
    await sleep(1);
  }
}
