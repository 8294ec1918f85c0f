import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { type LogIn, LogIns } from '../../../server/gateway/log-ins.ts';
import { FatalError } from '../../../server/protocols/fatal-error.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

describe('a log-in through the gateway', () => {
  it('that takes too long is refused with the reason', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = new PassThrough();
    const answered = once(stream, 'data') as Promise<[Buffer]>;
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    logIns.run(stream, '127.0.0.1', untilAborted, ({ sqlState, message }) => Buffer.from(`${sqlState} ${message}`));
    test.mock.timers.tick(19_999);
    assert.equal(stream.readableLength, 0);
    test.mock.timers.tick(1);
    assert.equal(String((await answered)[0]), '57014 the log-in took longer than 20 seconds: try again');
  });

  it('that fails within TLS is refused there, and is over when that stream closes', async () => {
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const [stream, within, other] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const refused = once(within, 'data') as Promise<[Buffer]>;
    const fail: LogIn = (_signal, secured) => {
      secured(within);
      return Promise.reject(new FatalError('28P01', 'wrong'));
    };
    logIns.run(stream, '127.0.0.1', fail, ({ message }) => Buffer.from(message));
    assert.equal(String((await refused)[0]), 'wrong');
    assert.equal(stream.readableLength, 0);
    const over = new Promise((resolve) => {
      const wait: LogIn = (signal, secured) => {
        secured(other);
        signal.addEventListener('abort', resolve);
        return untilAborted(signal);
      };
      logIns.run(new PassThrough(), '127.0.0.1', wait, () => Buffer.alloc(0));
    });
    other.destroy();
    await over;
  });

  it('is refused when the gateway shuts down, and nothing is under way after that', async () => {
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const encode = ({ sqlState }: FatalError): Buffer => Buffer.from(sqlState);
    const [before, after] = [new PassThrough(), new PassThrough()];
    const told = [before, after].map(async (stream) => String(((await once(stream, 'data')) as [Buffer])[0]));
    let isOver = false;
    const slow: LogIn = async (signal) => {
      await untilAborted(signal).catch(() => undefined);
      await new Promise(setImmediate);
      isOver = true;
      signal.throwIfAborted();
    };
    logIns.run(before, '127.0.0.1', slow, encode);
    await logIns.close();
    assert.ok(isOver);
    logIns.run(after, '127.0.0.1', () => assert.fail('it is not begun'), encode);
    assert.deepEqual(await Promise.all(told), ['57P01', '57P01']);
  });

  it('is refused while 128 others of its network are under way, and not when one of them is over', async () => {
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const first = Promise.withResolvers<undefined>();
    const begin = (address: string, logIn: LogIn): PassThrough => {
      const stream = new PassThrough();
      logIns.run(stream, address, logIn, ({ sqlState }) => Buffer.from(sqlState));
      return stream;
    };
    const others = [begin('192.0.2.1', () => first.promise)];
    while (others.length < 128) others.push(begin('192.0.2.1', untilAborted));
    const [refused] = (await once(begin('192.0.2.1', untilAborted), 'data')) as [Buffer];
    assert.equal(String(refused), '53300');
    const isLetIn = (address: string): Promise<unknown> =>
      new Promise((resolve) => {
        others.push(
          begin(address, (signal) => {
            resolve(undefined);
            return untilAborted(signal);
          }),
        );
      });
    await isLetIn('198.51.100.1');
    first.resolve(undefined);
    await new Promise(setImmediate);
    await isLetIn('192.0.2.1');
    for (const stream of others) stream.destroy();
  });

  it('is over once the client is let in: its session has no place and no time, and is not waited for', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const streams: PassThrough[] = [];
    const signals: AbortSignal[] = [];
    const session: LogIn = (signal, _secured, letIn) => {
      signals.push(signal);
      letIn();
      return new Promise(() => undefined);
    };
    for (let count = 0; count < 200; count += 1) {
      const stream = new PassThrough();
      streams.push(stream);
      logIns.run(stream, '192.0.2.1', session, ({ sqlState }) => Buffer.from(sqlState));
    }
    test.mock.timers.tick(60_000);
    streams[0]?.destroy();
    assert.equal(
      await Promise.race([logIns.close(), new Promise((resolve) => setImmediate(resolve, 'waits'))]),
      undefined,
    );
    assert.equal(signals.length, 200);
    assert.ok(signals.every(({ aborted }) => !aborted));
  });

  it('takes the place of the oldest of the network that has the most, where all are taken', async () => {
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const refused: number[] = [];
    const streams: PassThrough[] = [];
    const begin = (address: string): void => {
      const stream = new PassThrough();
      const index = streams.push(stream) - 1;
      logIns.run(stream, address, untilAborted, ({ sqlState }) => {
        assert.equal(sqlState, '53300');
        refused.push(index);
        return Buffer.alloc(0);
      });
    };
    for (let host = 1; host <= 3; host += 1) for (let count = 0; count < 127; count += 1) begin(`192.0.2.${host}`);
    // Of the fourth, the first is the oldest of the 128.
    while (streams.length < 509) begin('192.0.2.4');
    for (let host = 1; host <= 3; host += 1) begin(`198.51.100.${host}`);
    begin('203.0.113.1');
    await new Promise(setImmediate);
    assert.deepEqual(refused, [381]);
    begin('203.0.113.1');
    // All of the four have 127 now, and the first one's are the oldest.
    await new Promise(setImmediate);
    assert.deepEqual(refused, [381, 0]);
    for (const stream of streams) stream.destroy();
  });

  it('is refused where all places were taken just now and no network has more than its own, and soon takes the oldest', async (test) => {
    let passedMs = 0;
    test.mock.method(performance, 'now', () => passedMs);
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const streams: PassThrough[] = [];
    const begin = (address: string): PassThrough => {
      const stream = new PassThrough();
      streams.push(stream);
      logIns.run(stream, address, untilAborted, ({ sqlState }) => Buffer.from(sqlState));
      return stream;
    };
    for (let host = 0; host < 512; host += 1) begin(`10.0.${host >> 8}.${host & 255}`);
    const [answer] = (await once(begin('10.1.0.1'), 'data')) as [Buffer];
    assert.equal(String(answer), '53300');
    passedMs = 3000;
    const oldest = once(streams[0] ?? assert.fail(), 'data') as Promise<[Buffer]>;
    const newcomer = begin('10.1.0.1');
    assert.equal(String((await oldest)[0]), '53300');
    assert.equal(newcomer.readableLength, 0);
    for (const stream of streams) stream.destroy();
  });
});
