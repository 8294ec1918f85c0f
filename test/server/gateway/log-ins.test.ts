import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { LogIns } from '../../../server/gateway/log-ins.ts';

describe('a log-in through the gateway', () => {
  it('that takes too long is refused with the reason', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = new PassThrough();
    const answered = once(stream, 'data') as Promise<[Buffer]>;
    const logIns = new LogIns({ onError: () => assert.fail('it is no fault of the gateway') });
    const logIn = (signal: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    logIns.run(stream, '127.0.0.1', logIn, ({ sqlState, message }) => Buffer.from(`${sqlState} ${message}`));
    test.mock.timers.tick(19_999);
    assert.equal(stream.readableLength, 0);
    test.mock.timers.tick(1);
    assert.equal(String((await answered)[0]), '57014 the log-in took longer than 20 seconds: try again');
  });
});
