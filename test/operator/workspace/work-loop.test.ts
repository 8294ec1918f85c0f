import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProblemError } from '@rolecall/api';
import { checkDocument } from '@rolecall/crds';
import { sleep } from '../../../operator/runtime/clock.ts';
import { WorkQueue } from '../../../operator/runtime/work-queue.ts';
import type { Result } from '../../../operator/workspace/reconciler.ts';
import { WorkLoop } from '../../../operator/workspace/work-loop.ts';
import { fakeClock } from '../support/fake-clock.ts';

const spec = { url: 'https://workspace.example.com' };

function workspace() {
  const metadata = { name: 'production', namespace: 'team' };
  const checked = checkDocument({ apiVersion: 'rolecall.dev/v1alpha1', kind: 'Workspace', metadata, spec });
  assert.ok(checked.type === 'definition' && checked.definition.kind === 'Workspace');
  const times = { uid: 'w', resourceVersion: '1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  const object = { kind: 'Workspace', metadata: { ...metadata, ...times }, spec, status: {} } as const;
  return { object, definition: checked.definition };
}

/** A loop whose reconciles take so long, a part of it planning. Each reconcile is noted: when it began, and how much it took. */
function setUp(reconcileMs: number, planningMs: number) {
  const clock = fakeClock();
  const queue = new WorkQueue({ clock, random: () => 0, baseMs: 500, maxMs: 1_000 });
  const { signal: isOver } = new AbortController();
  const reconciles: { readonly at: number; readonly taken: number }[] = [];
  const own = workspace();
  const loop = new WorkLoop({
    ...{ queue, isOver, workspace: () => own, random: () => 0, onFailure: () => undefined },
    operator: { clock, listed: Promise.resolve() },
    status: {
      hasRoom: () => Promise.resolve(),
      drain: () => Promise.resolve(),
    },
    reconciler: {
      planningMs,
      reconcile: async ({ taken }) => {
        reconciles.push({ at: clock.elapsed(), taken: taken.size });
        await sleep(clock, reconcileMs, isOver);
        return { again: 'with an event', because: 'done' };
      },
    },
  });
  void loop.run();
  return { clock, queue, reconciles };
}

describe('the work loop of a workspace', () => {
  it('gathers what comes together', async () => {
    const { clock, queue, reconciles } = setUp(10, 1);
    queue.add('a');
    await clock.advance(50);
    queue.add('b');
    await clock.advance(50);
    assert.deepEqual(reconciles, [{ at: 100, taken: 2 }]);
  });

  it('begins sooner after a start: what was listed is there already', async () => {
    const { clock, queue, reconciles } = setUp(10, 0);
    for (let index = 0; index < 200; index += 1) queue.add(`p-${index}`);
    await clock.advance(10);
    assert.deepEqual(reconciles, [{ at: 10, taken: 200 }]);
  });

  it('begins at once where hundreds wait', async () => {
    const { clock, queue, reconciles } = setUp(10, 1);
    for (let count = 0; count <= 128; count += 1) queue.add(`o${count}`);
    await clock.advance(1);
    assert.deepEqual(reconciles, [{ at: 0, taken: 129 }]);
  });

  it('keeps plans apart that take long', async () => {
    const { clock, queue, reconciles } = setUp(10, 50);
    queue.add('a');
    await clock.advance(105);
    queue.add('b');
    await clock.advance(400);
    assert.deepEqual(
      reconciles.map(({ at }) => at),
      [100, 350],
    );
  });

  it('does not have what came during a long reconcile wait as long again', async () => {
    const { clock, queue, reconciles } = setUp(1_000, 200);
    queue.add('a');
    await clock.advance(500);
    queue.add('b');
    await clock.advance(1_000);
    assert.deepEqual(
      reconciles.map(({ at }) => at),
      [100, 1_200],
    );
  });
});

/** A loop whose reconciles end as a test says, and take no time. Each request is noted. */
function answering(...ends: readonly (Result | Error)[]) {
  const clock = fakeClock();
  const queue = new WorkQueue({ clock, random: () => 0, baseMs: 500, maxMs: 1_000 });
  const requests: {
    readonly at: number;
    readonly taken: string[];
    readonly later: string[];
    readonly isPlanDue: boolean;
  }[] = [];
  const own = workspace();
  const loop = new WorkLoop({
    ...{
      queue,
      isOver: new AbortController().signal,
      workspace: () => own,
      random: () => 0.5,
      onFailure: () => undefined,
    },
    operator: { clock, listed: Promise.resolve() },
    status: { hasRoom: () => Promise.resolve(), drain: () => Promise.resolve() },
    reconciler: {
      planningMs: 1,
      reconcile: ({ taken, later, isPlanDue }) => {
        const end = ends[requests.length] ?? done;
        requests.push({ at: clock.elapsed(), taken: [...taken], later: [...later], isPlanDue });
        return end instanceof Error ? Promise.reject(end) : Promise.resolve(end);
      },
    },
  });
  void loop.run();
  return { clock, queue, requests, loop };
}

const done: Result = { again: 'with an event', because: 'done' };
const label = 'Workspace/production';

describe('a reconcile comes again', () => {
  it('with an event only, where it is done, and without a plan unless something changed', async () => {
    const { clock, queue, requests, loop } = answering(done, done);
    queue.add('a');
    await clock.advance(60_000);
    queue.add('b');
    await clock.advance(60_000);
    loop.requirePlan('c');
    await clock.advance(60_000);
    assert.deepEqual(
      requests.map(({ taken, isPlanDue }) => [taken.join(), isPlanDue]),
      [
        ['a', true],
        ['b', false],
        ['c', true],
      ],
    );
  });

  it('with an event only, where the workspace was not reached, and then plans', async () => {
    const { clock, queue, requests } = answering({ again: 'with an event', because: 'not reached' });
    queue.add('a');
    await clock.advance(60_000);
    queue.add('b');
    await clock.advance(1_000);
    assert.deepEqual(
      requests.map(({ isPlanDue }) => isPlanDue),
      [true, true],
    );
  });

  it('at once, where steps are left, and knows of which objects', async () => {
    const later = new Set(['Person/ada']);
    const { clock, queue, requests } = answering({ again: 'at once', because: 'steps are left', later });
    queue.add('a');
    await clock.advance(500);
    queue.add('b');
    await clock.advance(500);
    assert.deepEqual(
      requests.map((request) => [request.taken.join(), request.later.join(), request.isPlanDue]),
      [
        ['a', '', true],
        [label, 'Person/ada', true],
        ['b', '', false],
      ],
    );
  });

  it('in a moment, where others wait', async () => {
    const { clock, queue, requests } = answering({ again: 'in a moment', because: 'others wait' });
    queue.add('a');
    await clock.advance(5_000);
    assert.deepEqual(
      requests.map(({ taken }) => taken.join()),
      ['a', label],
    );
    const [{ at: first } = { at: 0 }, { at: second } = { at: 0 }] = requests;
    assert.ok(second - first >= 1_000, `after ${second - first} ms`);
  });

  it('with all that it took after an error, later each time', async () => {
    const error = new Error('the workspace does not answer');
    const { clock, queue, requests } = answering(error, error);
    queue.add('a');
    queue.add('b');
    await clock.advance(10_000);
    assert.deepEqual(
      requests.map(({ taken, isPlanDue }) => [taken.join(), isPlanDue]),
      [
        ['a,b', true],
        ['a,b', true],
        ['a,b', true],
      ],
    );
    const [first = 0, second = 0, third = 0] = requests.map(({ at }) => at);
    assert.ok(third - second > second - first);
  });

  it('with an event only, where the service refuses the key', async () => {
    const context = {
      operationId: 'listPeople',
      method: 'GET',
      path: '/api/v2/person',
      attempt: 1,
      ambiguous: false,
    } as const;
    const received = { status: 401, code: 'unauthorized', title: '', detail: 'no', errors: [], requestId: undefined };
    const error = new ProblemError(context, received);
    const { clock, queue, requests } = answering(error);
    queue.add('a');
    await clock.advance(60_000);
    queue.add('b');
    await clock.advance(1_000);
    assert.deepEqual(
      requests.map(({ taken, isPlanDue }) => [taken.join(), isPlanDue]),
      [
        ['a', true],
        ['b', true],
      ],
    );
  });
});
