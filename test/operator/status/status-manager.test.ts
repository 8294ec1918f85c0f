import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDocument } from '@rolecall/crds';
import type { CustomObject, Status } from '../../../operator/resources/custom-object.ts';
import { type DeclaredObject, parseObject } from '../../../operator/resources/parse.ts';
import { WorkQueue } from '../../../operator/runtime/work-queue.ts';
import { StatusManager } from '../../../operator/status/status-manager.ts';
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

function declaredBy(one: CustomObject): DeclaredObject {
  const parsed = parseObject(one);
  assert.ok('definition' in parsed && parsed.definition.kind === 'Permission');
  return { object: one, definition: parsed.definition };
}

/** The status manager of one permission that is settled and has not begun. */
function setUp() {
  const clock = fakeClock(Date.parse('2026-06-01T00:00:00Z'));
  const queue = new WorkQueue({ clock, random: () => 0, baseMs: 500, maxMs: 1_000 });
  const declared = declaredBy(object);
  const written: Status[] = [];
  const released: string[] = [];
  const workspace = checkDocument({
    apiVersion: 'rolecall.dev/v1alpha1',
    kind: 'Workspace',
    metadata: { name: 'production' },
    spec: { url: 'https://workspace.example.com' },
  });
  assert.ok(workspace.type === 'definition' && workspace.definition.kind === 'Workspace');
  const { definition } = workspace;
  const status = new StatusManager({
    ...{ clock, queue, current: () => object, objects: new Map([[label, declared]]), workspace: () => definition },
    writer: {
      writeStatus: (_object, next) => Promise.resolve(void written.push(next)),
      addFinalizer: (one) => Promise.resolve(one),
      removeFinalizer: () => Promise.resolve(),
    },
    signal: new AbortController().signal,
    onFailure: () => undefined,
    onRecovered: () => undefined,
    onForbidden: () => undefined,
    onReleased: (name) => void released.push(name),
  });
  status.report(declared, {
    ...{ ready: 'True', reason: 'Converged', message: 'it is', id: '1', state: 'Pending' },
    ...window,
  });
  return { clock, queue, written, released, status };
}

describe('a deleted object that is gone before it is let go', () => {
  it('takes nothing from another one that has its name by now', () => {
    const { status, released } = setUp();
    status.unsettle([label]);
    status.release(declaredBy({ ...object, metadata: { ...object.metadata, uid: 'u0' } }));
    assert.deepEqual(released, []);
    assert.ok(status.unsettled.has(label));
  });
});

describe('an object that takes over what a deleted one had', () => {
  it('is not given it once it is gone itself', async () => {
    const { status } = setUp();
    await status.hold(label);
    await assert.rejects(status.hold('Permission/gone'), /Permission\/gone is gone/);
  });

  it('is reported again after what was written meanwhile, though it was as declared', async () => {
    const { status, written } = setUp();
    await status.drain();
    assert.equal(status.unsettled.has(label), false);
    await status.writeNow(declaredBy(object), {
      ready: 'False',
      reason: 'Waiting',
      message: 'It takes over.',
      id: '2',
    });
    assert.equal(written.at(-1)?.id, '2');
    assert.ok(status.unsettled.has(label));
  });
});

describe('the state of a permission', () => {
  it('is written when its window begins, without a reconcile', async () => {
    const { clock, queue, written } = setUp();
    await clock.advance(61_000);
    assert.equal(written.at(-1)?.state, 'Active');
    assert.equal(queue.isBusy(label), false);
  });

  it('is left to the reconcile that the permission waits for', async () => {
    const { clock, queue, written } = setUp();
    await clock.advance(1_000);
    const before = written.length;
    queue.add(label);
    await clock.advance(60_000);
    assert.equal(queue.isBusy(label), true);
    assert.equal(written.length, before);
  });
});
