import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StandStill } from '../../../server/gateway/stand-still.ts';
import { until } from '../person-api/in-editor.ts';

/** What the test answers in the store's place, with a clock that the test sets. */
function watched(test: TestContext) {
  const asked: PromiseWithResolvers<undefined>[] = [];
  let [resumed, failed, now] = [0, 0, performance.now()];
  test.mock.method(performance, 'now', () => now);
  const standStill = new StandStill({
    ask: () => {
      const answer = Promise.withResolvers<undefined>();
      asked.push(answer);
      return answer.promise;
    },
    onAsked: () => {
      resumed += 1;
    },
    onError: () => {
      failed += 1;
    },
  });
  test.after(() => {
    standStill.close();
  });
  return {
    ...{ asked, isBlind: standStill.isBlind },
    resumed: () => resumed,
    failed: () => failed,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a process of the gateway that stands still', () => {
  it('is blind until it has asked what ended meanwhile', async (test) => {
    const { asked, isBlind, resumed, pass } = watched(test);
    pass(100);
    assert.equal(isBlind(), false);
    pass(5000);
    assert.equal(isBlind(), true);
    assert.equal(isBlind(), true);
    assert.deepEqual([asked.length, resumed()], [1, 0]);
    asked[0]?.resolve(undefined);
    await until(() => resumed() === 1);
    assert.equal(isBlind(), false);
  });

  it('is blind after its machine slept, which the monotonic clock may leave out', async (test) => {
    const awake = Date.now();
    const { asked, isBlind, resumed } = watched(test);
    test.mock.method(Date, 'now', () => awake + 60_000);
    await until(() => asked.length === 1);
    assert.equal(isBlind(), true);
    asked[0]?.resolve(undefined);
    await until(() => resumed() === 1);
  });

  it('asks again where it stands still while it asks: the answer may be older than that', async (test) => {
    const { asked, isBlind, resumed, pass } = watched(test);
    pass(5000);
    isBlind();
    pass(5000);
    asked[0]?.resolve(undefined);
    await until(() => asked.length === 2);
    assert.deepEqual([isBlind(), resumed()], [true, 0]);
    asked[1]?.resolve(undefined);
    await until(() => resumed() === 1);
  });

  it('stays blind while the store cannot be asked', async (test) => {
    const { asked, isBlind, resumed, failed, pass } = watched(test);
    pass(5000);
    isBlind();
    asked[0]?.reject(new Error('away'));
    await turn();
    assert.deepEqual([isBlind(), failed(), resumed()], [true, 1, 0]);
    await until(() => asked.length === 2);
    asked[1]?.resolve(undefined);
    await until(() => resumed() === 1);
  });
});
