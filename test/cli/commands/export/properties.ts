import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Described, makeWorkspace, workspaces } from './arbitrary-workspace.ts';
import { assertNothingToDo, contentOf, exportOf, openWorkspace, planOf } from './round-trip.ts';

/** Two permissions that began at the same moment; one is over. */
const overBesideLasting: Described = {
  people: [{ username: 'ada', name: 'ada', locked: false }],
  dataSources: ['one', 'other'].map((alias) => ({ alias, name: alias, uri: 'postgresql://h', hasPassword: false })),
  roles: [],
  permissions: [1, 256].map((days, dataSource) => ({ person: 0, dataSource, startDays: -253, days, times: 1 })),
  snippets: [],
};

/** The tests of the round trip, over so many workspaces each. */
export function testRoundTrip(numRuns: number): void {
  describe('an exported workspace', () => {
    it('is valid and makes an empty plan, whatever is in it', async () => {
      await fc.assert(
        fc.asyncProperty(workspaces(true), async (described) => {
          await using workspace = await openWorkspace();
          await makeWorkspace(described, workspace.client);
          await assertNothingToDo(workspace.client);
        }),
        { numRuns },
      );
    });

    it('makes an equivalent one of an empty workspace', async () => {
      await fc.assert(
        fc.asyncProperty(workspaces(false), async (described) => {
          await using workspace = await openWorkspace();
          await makeWorkspace(described, workspace.client);
          const exported = await assertNothingToDo(workspace.client);
          assert.deepEqual(exported.leftOut, []);
          await using second = await openWorkspace();
          const { plan, apply } = await planOf(exported, second.client);
          assert.deepEqual(plan.refusals, []);
          assert.deepEqual((await apply()).failed, []);
          const now = new Date();
          assert.deepEqual(await contentOf(second.client, now), await contentOf(workspace.client, now));
          const { plan: again } = await planOf(await exportOf(second.client), second.client);
          assert.deepEqual(again.steps, []);
        }),
        { numRuns, examples: [[overBesideLasting]] },
      );
    });
  });
}
