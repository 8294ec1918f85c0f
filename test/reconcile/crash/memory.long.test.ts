import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@rolecall/api';
import { type Caller, converge, type DesiredObject, makePlan, recordDeclarations } from '@rolecall/reconcile';
import { earlier, later, readState } from '../plan/two-states.ts';
import { type More, managerFor, optionsOf, stateOf, useWorkspace } from '../support.ts';

describe('the memory of a set', () => {
  const workspace = useWorkspace('in one call');
  const set: More = { set: 'main' };
  const apply = async (objects: readonly DesiredObject[]) => {
    const { plan, result } = await workspace.apply(objects, set);
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
  };

  for (const fault of ['before', 'after'] as const) {
    it(`leaves nothing behind of a run that was killed ${fault} any call, whether it is taken back or finished`, async () => {
      await apply(earlier);
      const before = await readState(workspace.client);
      const { steps } = await workspace.plan(later, set);
      assert.ok(steps.length > 10);
      await apply(later);
      const { state } = await readState(workspace.client);
      await apply(earlier);
      for (let calls = 0; calls < steps.length; calls += 1) {
        await runUntil(calls, fault);
        await apply(earlier);
        assert.deepEqual((await readState(workspace.client)).state, before.state, `taken back after ${calls} calls`);
        await runUntil(calls, fault);
        await apply(later);
        assert.deepEqual((await readState(workspace.client)).state, state, `finished after ${calls} calls`);
        await apply(earlier);
      }
    });
  }

  /** Runs the later definitions until a number of calls was made; the next one, and all after it, have no answer. */
  async function runUntil(calls: number, fault: 'before' | 'after'): Promise<void> {
    const writer = workspace.as('rolecall/main');
    const view = workspace.createView();
    const options = { ...optionsOf(set), ...managerFor(set, writer) };
    const plan = await makePlan(stateOf(later, set), view, options);
    assert.ok(plan.declarations !== undefined);
    await recordDeclarations(plan.declarations, writer);
    await converge(plan, dyingAfter(writer, calls, fault), { ...options, concurrency: 1 });
  }
});

/** A client whose process is killed. */
function dyingAfter(client: Client, calls: number, fault: 'before' | 'after'): Caller {
  let made = 0;
  const call = async (...args: Parameters<Client['call']>): Promise<never> => {
    made += 1;
    if (made > calls + 1 || (made > calls && fault === 'before')) throw new Error('the run was killed');
    const answer = await (client.call as (...all: typeof args) => Promise<unknown>)(...args);
    if (made > calls) throw new Error('the run was killed');
    // The answer is that of the very operation.
    return answer as never;
  };
  return { ...client, call } as Caller;
}
