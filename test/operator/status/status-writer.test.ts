import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CustomObject, projectionOf } from '../../../operator/resources/custom-object.ts';
import type { KubeSession } from '../../../operator/runtime/session.ts';
import { StatusWriter } from '../../../operator/status/status-writer.ts';

function person(namespace: string, name: string): CustomObject {
  return projectionOf('Person')({ metadata: { namespace, name, uid: name, resourceVersion: '1' }, spec: {} } as never);
}

const never = new AbortController().signal;

describe('the writes of one namespace', () => {
  it('do not hold up those of another, however many wait', async () => {
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const session: Pick<KubeSession, 'request'> = {
      request: ({ path }) => {
        sent.push(path.includes('/team/') ? 'team' : 'crowd');
        const { promise, resolve } = Promise.withResolvers<unknown>();
        answers.push(() => {
          resolve(person('crowd', 'any'));
        });
        return promise;
      },
    };
    const writer = new StatusWriter({
      ...{ session, signal: never, cancelled: never, identity: 'test', now: Date.now },
      onWritten: () => person('crowd', 'any'),
      onUnanswered: () => undefined,
      onError: () => undefined,
    });
    const writes = Array.from({ length: 2_000 }, (_, index) => writer.addFinalizer(person('crowd', `p${index}`)));
    writes.push(...['ada', 'grace'].map((name) => writer.addFinalizer(person('team', name))));
    await nextTurn();
    assert.ok(sent.length < 100 && !sent.includes('team'));
    const inFlight = sent.length;
    for (const answer of answers.splice(0, 4)) answer();
    await nextTurn();
    assert.deepEqual(sent.slice(inFlight).sort(), ['crowd', 'crowd', 'team', 'team']);
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await nextTurn();
    }
    await Promise.all(writes);
    assert.equal(sent.length, 2_002);
  });
});
