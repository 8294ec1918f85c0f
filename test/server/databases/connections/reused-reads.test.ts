import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ReusedReads } from '../../../../server/databases/connections/reused-reads.ts';

async function listen(accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('a socket that is read into the same buffers', () => {
  it('passes every byte on in its order, to its stream first and then to a function, however slowly they are taken', async (test) => {
    const bytes = randomBytes(24 * 1024 * 1024);
    const source = await listen((socket) => {
      void (async () => {
        // Small pieces wait one behind the other, unlike large ones, which stop the reading.
        for (let at = 0; at < bytes.length; at += 5000) {
          if (!socket.write(bytes.subarray(at, at + 5000))) await once(socket, 'drain');
          if (at < 12 * 1024 * 1024) await turn();
        }
        socket.end();
      })();
    });
    const reads = new ReusedReads();
    const socket = new Socket(reads.options);
    reads.attach(socket);
    let waiting = 0;
    const passing = await listen((client) => {
      const pass = (chunk: Buffer): void => {
        if (!client.write(chunk)) socket.pause();
        waiting = Math.max(waiting, client.writableLength);
      };
      client.on('drain', () => socket.resume());
      // As a driver reads it, and leaves it.
      socket.on('data', pass).on('end', () => client.end());
      socket.once('data', () => {
        reads.take(pass, () => client.writableLength === 0);
      });
      socket.connect(portOf(source), '127.0.0.1');
    });
    test.after(() => {
      socket.destroy();
      source.close();
      passing.close();
    });
    const hash = createHash('sha256');
    const sink = connect(portOf(passing), '127.0.0.1');
    // The buffers on the way fill up first.
    while (waiting < 20_000) await turn();
    for await (const chunk of sink as AsyncIterable<Buffer>) hash.update(chunk);
    assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'));
    assert.equal(socket.bytesRead, bytes.length);
  });

  it('passes every byte of a connection on that a server has accepted, and tells when the client leaves', async (test) => {
    const bytes = randomBytes(1024 * 1024);
    const sides: Socket[] = [];
    const hash = createHash('sha256');
    let taken = 0;
    const { promise: left, resolve } = Promise.withResolvers<unknown>();
    const server = createServer({ pauseOnConnect: true }, (accepted) => {
      const socket = ReusedReads.adopt(accepted);
      sides.push(socket);
      assert.equal(socket.remoteAddress, '127.0.0.1');
      const take = (chunk: Buffer): void => {
        hash.update(chunk);
        taken += chunk.length;
        // What still comes waits, in its order, with what the stream has.
        if (taken % 3 === 0) void turn(socket.pause()).then((paused) => paused.resume());
      };
      socket.on('data', take).on('close', resolve).write('hello');
      ReusedReads.of(socket)?.take(take, () => true);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(portOf(server), '127.0.0.1');
    test.after(() => {
      for (const socket of [client, ...sides]) socket.destroy();
      server.close();
    });
    const [greeting] = (await once(client, 'data')) as [Buffer];
    assert.equal(greeting.toString(), 'hello');
    client.end(bytes);
    await left;
    assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'));
  });

  it('keeps what comes while the stream is paused until it goes on', async () => {
    const reads = new ReusedReads();
    const socket = new Socket();
    reads.attach(socket);
    const { onread } = reads.options;
    assert.ok(typeof onread?.buffer === 'function');
    const taken: string[] = [];
    const take = (chunk: Buffer): void => void taken.push(chunk.toString());
    socket.on('data', take);
    ReusedReads.of(socket)?.take(take, () => true);
    socket.pause();
    for (const text of ['one', 'two']) {
      const buffer = onread.buffer();
      buffer.set(Buffer.from(text));
      onread.callback(text.length, buffer);
    }
    assert.deepEqual(taken, []);
    socket.resume();
    await turn();
    assert.equal(taken.join(''), 'onetwo');
    assert.equal(ReusedReads.of(new Socket()), undefined);
  });

  it('needs two where bytes are done with only after the next buffer was asked for, and more while none is done with', () => {
    const reads = new ReusedReads();
    reads.attach(new Socket());
    const { onread } = reads.options;
    assert.ok(typeof onread?.buffer === 'function');
    const { buffer } = onread;
    let inUse: ArrayBufferLike[] = [];
    const seen = new Set<ArrayBufferLike>();
    const read = ({ buffer: bytes }: Buffer): void => {
      assert.ok(!inUse.includes(bytes), 'bytes that are still in use were read over');
      inUse.push(bytes);
      seen.add(bytes);
    };
    reads.take(read, () => inUse.length === 0);
    const readSome = (times: number): void => {
      for (let time = 0; time < times; time += 1) {
        onread.callback(100, buffer());
      }
    };
    for (let time = 0; time < 10; time += 1) {
      readSome(1);
      buffer();
      inUse = [];
    }
    assert.equal(seen.size, 2);
    readSome(5);
    inUse = [];
    readSome(5);
  });
});
