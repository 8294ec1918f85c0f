import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NetworkError, ProblemError, TimeoutError } from '@rolecall/api';
import type { Caller, Plan, Step } from '@rolecall/reconcile';
import { converge, createView, makePlan } from '@rolecall/reconcile';
import { optionsOf, person, stateOf, useWorkspace } from '../support.ts';

const { resolveSecret } = optionsOf({ secrets: { PASSWORD: 's3cret' } });

/** @param more what is to be sent, whether or not a service would take it */
function step(id: string, more: object = {}): Step {
  return {
    id,
    operation: 'createPerson',
    params: {},
    body: { username: id, name: id, email: `${id}@team.example` },
    object: { kind: 'Person', name: id },
    summary: id,
    reason: '',
    effect: 'create',
    after: [],
    ...more,
  };
}

async function planOf(steps: Step[]): Promise<Plan> {
  const plan = await makePlan(stateOf([], {}), createView(callerOf(() => [])), optionsOf({}));
  return { ...plan, steps };
}

/** A scripted service: faults are what these tests are about. */
function callerOf(
  answer: (operation: string, request: { params?: object; body?: Record<string, unknown> }) => unknown,
): Caller {
  return {
    call: ((operation: string, request: object) =>
      Promise.try(answer, operation, request)) as unknown as Caller['call'],
  };
}

const context = {
  operationId: 'createPerson',
  method: 'POST',
  path: '/api/v2/person',
  attempt: 1,
  ambiguous: false,
} as const;
const refused = (status: number) =>
  new ProblemError(context, { status, code: 'not_found', title: '', detail: 'no', errors: [], requestId: undefined });

/** A service that refuses every call in the same way. */
function refusing({ status, code }: { status: number; code: string }) {
  let calls = 0;
  const caller = callerOf(() => {
    calls += 1;
    throw new ProblemError(context, { status, code, title: '', detail: 'no', errors: [], requestId: undefined });
  });
  return { calls: () => calls, caller };
}

const cannotConnect = (attempt: number) =>
  new NetworkError({ ...context, attempt }, 'failed', 'ECONNREFUSED', 'not-sent', undefined);
const wasCut = (attempt: number) =>
  new NetworkError({ ...context, attempt }, 'failed', 'ECONNRESET', 'unknown', undefined);

/** A service whose calls end with these errors one after the other, and are done where there is none. */
function failing(errorOf: (call: number) => Error | undefined) {
  let calls = 0;
  const caller = callerOf(() => {
    calls += 1;
    const error = errorOf(calls);
    if (error !== undefined) throw error;
    return { id: 'x' };
  });
  return { calls: () => calls, caller };
}

describe('converge', () => {
  const workspace = useWorkspace();

  it('runs no more steps side by side than it may', async () => {
    let running = 0;
    let most = 0;
    const caller = callerOf(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resume) => setTimeout(resume, 5));
      running -= 1;
      return { id: 'x' };
    });
    const steps = Array.from({ length: 20 }, (_, index) => step(`p${index}`));
    const result = await converge(await planOf(steps), caller, { resolveSecret, concurrency: 3 });
    assert.deepEqual([result.done.length, most], [20, 3]);
  });

  it('begins no step before those it waits for have succeeded, and fills in the ids they made', async () => {
    const order: unknown[] = [];
    const caller = callerOf((operation, { params, body }) => {
      order.push([operation, params, body]);
      return { id: 'id-1' };
    });
    const steps = [
      step('ada', { makes: 'Person ada' }),
      step('lock', { operation: 'lockPerson', params: { person: { ref: 'Person ada' } }, body: {}, after: ['ada'] }),
    ];
    await converge(await planOf(steps), caller, { resolveSecret });
    assert.deepEqual(order, [
      ['createPerson', {}, { username: 'ada', name: 'ada', email: 'ada@team.example' }],
      ['lockPerson', { person: 'id-1' }, {}],
    ]);
  });

  it('holds up only what waits for a step that failed, and says why', async () => {
    const caller = callerOf((_operation, { body }) => {
      if (body?.['username'] === 'bad') throw refused(409);
      return { id: 'x' };
    });
    const steps = [
      step('bad'),
      step('child', { after: ['bad'] }),
      step('grandchild', { after: ['child'] }),
      step('other'),
    ];
    const result = await converge(await planOf(steps), caller, { resolveSecret });
    assert.deepEqual(
      result.done.map(({ id }) => id),
      ['other'],
    );
    assert.deepEqual(
      result.failed.map(({ step: { id }, ambiguous }) => [id, ambiguous]),
      [['bad', false]],
    );
    assert.deepEqual(
      result.notRun.map(({ step: { id } }) => id),
      ['child', 'grandchild'],
    );
    assert.match(result.notRun[0]!.because, /"bad" failed/);
  });

  it('says so of a step that waits for one that the run does not have', async () => {
    const steps = [step('other'), step('waits', { after: ['elsewhere'] })];
    const result = await converge(
      await planOf(steps),
      callerOf(() => ({ id: 'x' })),
      { resolveSecret },
    );
    assert.deepEqual(
      [result.done.map(({ id }) => id), result.notRun.map(({ step: { id }, because }) => [id, because])],
      [['other'], [['waits', 'it waits for a step that is not in this run']]],
    );
  });

  it('says when a failed call may have been done all the same', async () => {
    const caller = callerOf(() => {
      throw new NetworkError(context, 'was cut', 'ECONNRESET', 'unknown', undefined);
    });
    const result = await converge(await planOf([step('ada')]), caller, { resolveSecret });
    assert.equal(result.failed[0]?.ambiguous, true);
  });

  it('takes what is to be deleted and is gone already for deleted, and nothing else', async () => {
    const caller = callerOf(() => {
      throw refused(404);
    });
    const gone = step('gone', { operation: 'deletePermission', params: { permission: '1' } });
    const missing = step('missing', { operation: 'addRolePerson', params: { role: 'r', person: 'p' } });
    const result = await converge(await planOf([gone, missing]), caller, { resolveSecret });
    assert.deepEqual(
      [result.done.map(({ id }) => id), result.failed.map(({ step: { id } }) => id)],
      [['gone'], ['missing']],
    );
  });

  it('finishes the calls in flight once interrupted, and begins no other', async () => {
    const controller = new AbortController();
    const caller = callerOf(async () => {
      controller.abort();
      await new Promise((resume) => setTimeout(resume, 5));
      return { id: 'x' };
    });
    const steps = [step('first'), step('second'), step('third')];
    const result = await converge(await planOf(steps), caller, {
      resolveSecret,
      concurrency: 1,
      signal: controller.signal,
    });
    assert.deepEqual(
      result.done.map(({ id }) => id),
      ['first'],
    );
    assert.deepEqual(
      result.notRun.map(({ because }) => because),
      ['the run was interrupted', 'the run was interrupted'],
    );
  });

  it('puts a secret in at the moment of the call only', async () => {
    let sent: unknown;
    const caller = callerOf((_operation, { body }) => {
      sent = body?.['configUri'];
      return { id: 'x' };
    });
    const configUri = { uri: 'postgresql://reader@db/billing', password: { env: 'PASSWORD' } };
    const plan = await planOf([step('billing', { operation: 'createDataSource', body: { configUri } })]);
    await converge(plan, caller, { resolveSecret });
    assert.equal(sent, 'postgresql://reader:s3cret@db/billing');
    assert.doesNotMatch(JSON.stringify(plan), /s3cret/);
  });

  it('stops at the first refusal of the key: no other call would fare better', async () => {
    const { calls, caller } = refusing({ status: 403, code: 'insufficient_scope' });
    const result = await converge(await planOf([step('a'), step('b'), step('c')]), caller, {
      resolveSecret,
      concurrency: 1,
    });
    assert.deepEqual([calls(), result.failed.length, result.notRun.length], [1, 1, 2]);
    assert.match(result.notRun[0]!.because, /refused the API key/);
  });

  it('stops once as many calls in a row as run side by side could not reach the workspace', async () => {
    for (const error of [cannotConnect(5), wasCut(5), new TimeoutError(context, 'connect', 1, 'http://w', undefined)]) {
      const { calls, caller } = failing((call) => (call > 10 ? error : undefined));
      const steps = Array.from({ length: 1000 }, (_, index) => step(`p${index}`));
      const result = await converge(await planOf(steps), caller, { resolveSecret, concurrency: 4 });
      assert.ok(calls() <= 10 + 4 + 3, String(calls()));
      assert.deepEqual([result.done.length, result.failed.length], [10, calls() - 10]);
      assert.equal(result.notRun.length, 1000 - calls());
      assert.ok(result.notRun.every(({ because }) => because === 'the workspace cannot be reached'));
    }
  });

  it('goes on while the workspace answers now and then, and where it cuts calls that are not repeated', async () => {
    const steps = Array.from({ length: 50 }, (_, index) => step(`p${index}`));
    const faults: ((call: number) => Error | undefined)[] = [
      (call) => (call % 2 === 0 ? cannotConnect(5) : undefined),
      (call) => (call % 2 === 0 ? cannotConnect(5) : refused(409)),
      () => wasCut(1),
    ];
    for (const errorOf of faults) {
      const { calls, caller } = failing(errorOf);
      await converge(await planOf(steps), caller, { resolveSecret, concurrency: 2 });
      assert.equal(calls(), 50);
    }
  });

  it('counts only what was done or failed as ended', async () => {
    const controller = new AbortController();
    const seen: [string, number][] = [];
    const steps = Array.from({ length: 100 }, (_, index) => step(`p${index}`));
    await converge(await planOf(steps), failing((call) => (call === 2 ? refused(409) : undefined)).caller, {
      resolveSecret,
      concurrency: 1,
      signal: controller.signal,
      onProgress: ({ outcome, ended }) => {
        seen.push([outcome, ended]);
        if (ended === 2) controller.abort();
      },
    });
    assert.deepEqual(seen.slice(0, 2), [
      ['done', 1],
      ['failed', 2],
    ]);
    assert.ok(seen.slice(2).every(([outcome, ended]) => outcome === 'not-run' && ended === 2));
    assert.equal(seen.length, 100);
  });

  it('makes as many calls as there are changes, after one reading of each collection that matters', async () => {
    await workspace.apply([person('ada')]);
    workspace.takeCalls();
    await workspace.apply([person('ada'), person('grace'), person('linus')]);
    assert.deepEqual(workspace.takeCalls().sort(), ['createPerson', 'createPerson', 'listPeople']);
  });
});
