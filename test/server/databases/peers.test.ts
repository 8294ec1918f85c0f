import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestOutcome, testConnection } from '../../../server/databases/index.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';
import { type Peer, startBlackHole, startPeer } from '../../support/peers.ts';

const generous = 3000;
const secret = 'p4ssw0rd-not-to-be-seen';
const schemes = ['postgresql', 'mysql'];

/** Runs a test of a connection that must fail in time, without the password, and leave nothing open. */
async function failing(uri: string, timeoutMs = 300): Promise<string> {
  const handles = openHandles();
  const start = performance.now();
  const outcome: TestOutcome = await testConnection(uri, { timeoutMs });
  const took = performance.now() - start;
  assert.ok(took < generous, `took ${took} ms`);
  assert.ok(!outcome.success);
  assert.notEqual(outcome.message, '');
  assert.ok(!outcome.message.includes(secret), outcome.message);
  await assertNothingLeft(handles);
  return outcome.message;
}

function uriOf(scheme: string, port: number, more = ''): string {
  return `${scheme}://ada:${secret}@127.0.0.1:${port}/x${more}`;
}

/** A peer for one test, which must have lost its client by the end. */
async function withPeer<T>(greet: (socket: Socket) => void, use: (peer: Peer) => Promise<T>): Promise<T> {
  const peer = await startPeer(greet);
  try {
    const result = await use(peer);
    for (let tries = 0; tries < 40 && peer.open() > 0; tries += 1) await sleep(25);
    assert.equal(peer.open(), 0, 'the connection is still open');
    return result;
  } finally {
    await peer.close();
  }
}

for (const scheme of schemes) {
  describe(`a ${scheme} data source`, () => {
    it('whose port refuses says so', async () => {
      const peer = await startPeer();
      await peer.close();
      assert.equal(await failing(uriOf(scheme, peer.port)), `connect ECONNREFUSED 127.0.0.1:${peer.port}`);
    });

    it('whose name has several addresses that refuse says so, although the driver has no message', async () => {
      const message = await failing(`${scheme}://ada:${secret}@localhost:1/x`);
      assert.match(message, /connect ECONNREFUSED 127\.0\.0\.1:1/);
    });

    it('whose name does not resolve says so', async () => {
      const message = await failing(`${scheme}://ada:${secret}@nobody.invalid/x`, 2000);
      assert.match(message, /getaddrinfo E[A-Z_]+ nobody\.invalid|no answer within 2 s/);
    });

    it('that accepts and says nothing is given up in time', async () => {
      const message = await withPeer(
        () => undefined,
        (peer) => failing(uriOf(scheme, peer.port)),
      );
      assert.match(message, /^no answer within 0\.3 s: the connection was made/);
    });

    it('that accepts and says nothing to TLS is given up in time', async () => {
      const tls = scheme === 'postgresql' ? '?sslmode=require' : '?ssl-mode=required';
      const message = await withPeer(
        (socket) => socket.write(scheme === 'postgresql' ? 'S' : ''),
        (peer) => failing(uriOf(scheme, peer.port, tls)),
      );
      assert.match(message, /^no answer within 0\.3 s/);
    });

    it('that drops every packet is given up in time', async () => {
      const hole = await startBlackHole();
      try {
        assert.match(await failing(uriOf(scheme, hole.port)), /^no answer within 0\.3 s: no connection was made/);
      } finally {
        await hole.close();
      }
    });

    it('that closes at once says so', async () => {
      const message = await withPeer(
        (socket) => socket.end(),
        (peer) => failing(uriOf(scheme, peer.port)),
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
      assert.match(await withPeer(drip, (peer) => failing(uriOf(scheme, peer.port))), /./);
    });

    it('that never stops sending is given up in time', async () => {
      const flood = (socket: Socket): void => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(65536, 0x4e)));
        };
        socket.on('drain', more);
        more();
      };
      assert.match(await withPeer(flood, (peer) => failing(uriOf(scheme, peer.port), 1000)), /./);
    });

    it('that is a web server fails in time', async () => {
      const page = (socket: Socket): void => {
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
      };
      await withPeer(page, (peer) => failing(uriOf(scheme, peer.port)));
    });

    it('that sends random bytes fails in time and harms nothing', async () => {
      for (let run = 0; run < 100; run += 1) {
        const bytes = randomBytes(1 + (run % 200));
        await withPeer(
          (socket) => socket.end(bytes),
          (peer) => failing(uriOf(scheme, peer.port), 200).catch(raise(bytes)),
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
          const testing = testConnection(uriOf(scheme, peer.port), { signal: controller.signal });
          const rejected = assert.rejects(testing, reason);
          await sleep(50);
          controller.abort(reason);
          await rejected;
          await assert.rejects(testConnection(uriOf(scheme, peer.port), { signal: controller.signal }), reason);
          await assertNothingLeft(handles);
        },
      );
    });

    it('that wants less time in its URI gets less', async () => {
      const message = await withPeer(
        () => undefined,
        (peer) => failing(uriOf(scheme, peer.port, '?connect_timeout=1'), 60_000),
      );
      assert.match(message, /^no answer within 1 s/);
    });
  });
}

describe('a data source that pretends to be PostgreSQL', () => {
  const message = (type: string, body: Buffer | string): Buffer => {
    const content = Buffer.from(body);
    const head = Buffer.alloc(5, type);
    head.writeUInt32BE(content.length + 4, 1);
    return Buffer.concat([head, content]);
  };
  const ok = message('R', Buffer.from([0, 0, 0, 0]));
  const ready = message('Z', 'I');
  const hostile: [string, Buffer[]][] = [
    ['an unknown way to log in', [message('R', Buffer.from([0, 0, 0, 99]))]],
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
    ['a challenge in the middle of nothing', [message('R', Buffer.from('\0\0\0\x0bnonsense'))]],
    ['the end of a log-in that did not begin', [message('R', Buffer.from('\0\0\0\x0cv=eA=='))]],
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
        await withPeer(send, (peer) => failing(uriOf('postgresql', peer.port)));
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
      socket.once('data', () => socket.write(message('R', Buffer.from([0, 0, 0, 3]))));
    };
    try {
      for (const login of ['', 'ada@']) {
        await withPeer(wantsPassword, async (peer) => {
          await failing(`postgresql://${login}127.0.0.1:${peer.port}`);
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
      (peer) => failing(uriOf('mysql', peer.port)),
    );
    assert.match(message, /Too many connections/);
  });

  it('is not sent the password in clear', async () => {
    const wants = (socket: Socket): void => {
      socket.write(greeting('mysql_clear_password'));
      socket.once('data', () => socket.write(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1'))));
    };
    await withPeer(wants, async (peer) => {
      await failing(uriOf('mysql', peer.port));
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
      await failing(uriOf('mysql', peer.port));
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
      await withPeer(send, (peer) => failing(uriOf('mysql', peer.port), 200).catch(raise(bytes)));
    }
  });
});

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
        testConnection(uriOf(['postgresql', 'mysql', 'mariadb'][index % 3] ?? '', peer.port), { timeoutMs: 500 }),
      ),
    );
    assert.ok(performance.now() - start < generous);
    assert.ok(outcomes.every(({ success }) => !success));
    await assertNothingLeft(handles);
  });
});

async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (socket.destroyed) return;
    if (!socket.write(Buffer.from([byte]))) await once(socket, 'drain');
    await sleep(1);
  }
}

function raise(bytes: Buffer): (error: unknown) => never {
  return (error) => {
    throw new Error(`with ${bytes.toString('hex')}`, { cause: error });
  };
}
