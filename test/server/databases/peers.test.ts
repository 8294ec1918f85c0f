import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testConnection } from '../../../server/databases/index.ts';
import { failedWith, givenUp, secret, uriOf, withPeer } from '../../support/failing-peers.ts';
import { guard } from '../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';
import { type Peer, startBlackHole, startPeer } from '../../support/peers.ts';

for (const scheme of ['postgresql', 'mysql']) {
  describe(`a ${scheme} data source`, () => {
    it('whose port refuses says so', async () => {
      const peer = await startPeer();
      await peer.close();
      const refused = `the database does not answer: connect ECONNREFUSED 127.0.0.1:${peer.port}`;
      assert.equal(await givenUp(uriOf(scheme, peer.port)), refused);
    });

    it('whose name has several addresses that refuse says so, although the driver has no message', async () => {
      const message = await givenUp(`${scheme}://ada:${secret}@localhost:1/x`);
      assert.match(message, /connect ECONNREFUSED 127\.0\.0\.1:1/);
    });

    it('whose name does not resolve says so', async () => {
      const message = await givenUp(`${scheme}://ada:${secret}@nobody.invalid/x`, 2000);
      assert.match(message, /getaddrinfo E[A-Z_]+ nobody\.invalid|no answer within 2 s/);
    });

    it('that accepts and says nothing is given up in time', async () => {
      const message = await withPeer(
        () => undefined,
        (peer) => givenUp(uriOf(scheme, peer.port)),
      );
      assert.match(message, /^no answer within 0\.3 s: the connection was made/);
    });

    it('that accepts and says nothing to TLS is given up in time', async () => {
      const tls = scheme === 'postgresql' ? '?sslmode=require' : '?ssl-mode=required';
      const message = await withPeer(
        (socket) => socket.write(scheme === 'postgresql' ? 'S' : ''),
        (peer) => givenUp(uriOf(scheme, peer.port, tls)),
      );
      assert.match(message, /^no answer within 0\.3 s/);
    });

    it('that drops every packet is given up in time', async () => {
      const hole = await startBlackHole();
      try {
        assert.match(await givenUp(uriOf(scheme, hole.port)), /^no answer within 0\.3 s: no connection was made/);
      } finally {
        await hole.close();
      }
    });

    it('that closes at once says so', async () => {
      const message = await withPeer(
        (socket) => socket.end(),
        (peer) => givenUp(uriOf(scheme, peer.port)),
      );
      assert.match(message, /Connection (terminated unexpectedly|lost)/);
    });

    it('that sends a byte now and then is given up in time', async () => {
      const drip = (socket: Socket): void => {
        const timer = setInterval(() => socket.write('\x4e'), 20);
        socket.on('close', () => {
          clearInterval(timer);
        });
      };
      assert.match(await withPeer(drip, (peer) => givenUp(uriOf(scheme, peer.port))), /./);
    });

    it('that never stops sending is given up in time', async () => {
      const flood = (socket: Socket): void => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(65536, 0x4e)));
        };
        socket.on('drain', more);
        more();
      };
      assert.match(await withPeer(flood, (peer) => givenUp(uriOf(scheme, peer.port), 1000)), /./);
    });

    it('that is a web server fails in time', async () => {
      const page = (socket: Socket): void => {
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
      };
      await withPeer(page, (peer) => givenUp(uriOf(scheme, peer.port)));
    });

    it('that sends random bytes fails in time and harms nothing', async () => {
      for (let run = 0; run < 100; run += 1) {
        const bytes = randomBytes(1 + (run % 200));
        await withPeer(
          (socket) => socket.end(bytes),
          (peer) => givenUp(uriOf(scheme, peer.port), 200).catch(failedWith(bytes)),
        );
      }
    });

    it('is given up when the caller gives up', async () => {
      await withPeer(
        () => undefined,
        async (peer) => {
          const handles = openHandles();
          const reason = new Error('the caller has gone');
          const controller = new AbortController();
          const testing = testConnection(uriOf(scheme, peer.port), { guard, signal: controller.signal });
          const rejected = assert.rejects(testing, reason);
          await sleep(50);
          controller.abort(reason);
          await rejected;
          await assert.rejects(testConnection(uriOf(scheme, peer.port), { guard, signal: controller.signal }), reason);
          await assertNothingLeft(handles);
        },
      );
    });

    it('that wants less time in its URI gets less', async () => {
      const message = await withPeer(
        () => undefined,
        (peer) => givenUp(uriOf(scheme, peer.port, '?connect_timeout=1'), 60_000),
      );
      assert.match(message, /^no answer within 1 s/);
    });
  });
}

describe('many data sources at once', () => {
  let peer: Peer;
  before(async () => {
    peer = await startPeer();
  });
  after(() => peer.close());

  it('are tested side by side', async () => {
    const handles = openHandles();
    const start = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        testConnection(uriOf(['postgresql', 'mysql', 'mariadb'][index % 3] ?? '', peer.port), {
          guard,
          timeoutMs: 500,
        }),
      ),
    );
    assert.ok(performance.now() - start < 5000);
    assert.ok(outcomes.every(({ success }) => !success));
    await assertNothingLeft(handles);
  });
});
