import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultLiveness } from '../../../server/databases/connections/liveness.ts';
import { interruptible } from '../../../server/databases/interruptible.ts';
import { ResultWriter } from '../../../server/databases/rows/result-writer.ts';
import type { Session } from '../../../server/databases/session.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';
import { stopTime } from '../../support/mocked-time.ts';
import { collector } from './collect.ts';

/** A database that stops at the n-th request, or else when its connection is closed. */
function stubborn(requests: number) {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const seen = { interrupts: 0, closed: false };
  const nothing = (): Promise<void> => Promise.resolve();
  const session: Session = {
    execute: nothing,
    commit: nothing,
    rollback: nothing,
    interrupt: () => {
      seen.interrupts += 1;
      if (seen.interrupts === requests) resolve(undefined);
      return Promise.resolve();
    },
    close: () => {
      seen.closed = true;
      reject(new Error('closed'));
    },
  };
  return { session, seen, work: () => promise };
}

describe('the work of a database that is to stop', () => {
  const reason = new Error('cancelled');
  const stop = (requests: number, keep = false) => {
    const { session, seen, work } = stubborn(requests);
    const controller = new AbortController();
    const writer = new ResultWriter(collector([]), 1000, (error) => assert.fail(String(error)));
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    const stops = { signal: controller.signal, sinkFailed: new AbortController(), liveness: defaultLiveness };
    return { seen, ended: interruptible(session, writer, stops, undefined, work, keep) };
  };

  it('is asked again when a request came too early', async () => {
    const handles = openHandles();
    const { seen, ended } = stop(3);
    await assert.rejects(ended, reason);
    assert.deepEqual(seen, { interrupts: 3, closed: false });
    await assertNothingLeft(handles);
  });

  it('is cut off when it does not listen, within a second', async (test) => {
    const pass = stopTime(test);
    const { seen, ended } = stop(Infinity);
    const failed = assert.rejects(ended, reason);
    await pass(20 + 450);
    assert.ok(!seen.closed && seen.interrupts > 3);
    await pass(550);
    assert.ok(seen.closed);
    await failed;
  });

  it('counts when it was a commit that happened all the same', async () => {
    await stop(1, true).ended;
    await assert.rejects(stop(Infinity, true).ended, reason);
  });
});
