import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CustomObject, Status } from '../../../operator/resources/custom-object.ts';
import { parseObject } from '../../../operator/resources/parse.ts';
import { createWorkQueue } from '../../../operator/runtime/work-queue.ts';
import { createTelling, type TellingOptions } from '../../../operator/status/status-manager.ts';
import type { PassContext } from '../../../operator/workspace/context.ts';
import { createMembers, type Member } from '../../../operator/workspace/object-index.ts';
import { fakeClock } from '../support/fake-clock.ts';

const window = { startsAt: '2026-06-01T00:01:00.000Z', expiresAt: '2026-06-02T00:00:00.000Z' };
const label = 'Permission/night';

const object: CustomObject = {
  kind: 'Permission',
  metadata: {
    ...{ name: 'night', namespace: 'team', uid: 'u1', resourceVersion: '1', generation: 1 },
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['rolecall.dev/workspace'],
  },
  spec: { person: 'ada', dataSource: 'billing', ...window },
  status: { observedGeneration: 1, state: 'Pending', ...window },
};

function memberOf(one: CustomObject): Member {
  const parsed = parseObject(one);
  assert.ok('definition' in parsed && parsed.definition.kind === 'Permission');
  return { object: one, definition: parsed.definition };
}

/** What tells of one permission that is settled and has not begun. */
function setUp() {
  const clock = fakeClock(Date.parse('2026-06-01T00:00:00Z'));
  const queue = createWorkQueue({ clock, random: () => 0, baseMs: 500, maxMs: 1_000 });
  const members = createMembers();
  const member = memberOf(object);
  members.put(member);
  const written: Status[] = [];
  const writer = {
    writeStatus: (_object: CustomObject, status: Status) => Promise.resolve(void written.push(status)),
  };
  const used = { clock, writer, signal: new AbortController().signal, limit: <T>(run: () => Promise<T>) => run() };
  const workspace = { spec: {} };
  const telling = createTelling({
    // Of the context and the Workspace it uses no more.
    ...({ context: used as unknown as PassContext, workspace: () => workspace } as unknown as TellingOptions),
    ...{ members, queue, current: () => object, onFailure: () => undefined, onRecovered: () => undefined },
  });
  queue.claim(label);
  telling.report(member, {
    ready: 'True',
    reason: 'Converged',
    message: 'it is',
    id: '1',
    state: 'Pending',
    ...window,
  });
  return { clock, queue, written };
}

describe('the state of a permission', () => {
  it('is written when its window begins, with no look at it', async () => {
    const { clock, queue, written } = setUp();
    await clock.advance(61_000);
    assert.equal(written.at(-1)?.state, 'Active');
    assert.equal(queue.has(label), false);
  });

  it('is left to the look that the permission waits for, which is not lost for it', async () => {
    const { clock, queue, written } = setUp();
    await clock.advance(1_000);
    const before = written.length;
    queue.add(label, 'periodic');
    await clock.advance(60_000);
    assert.equal(queue.has(label), true);
    assert.equal(written.length, before);
  });
});
