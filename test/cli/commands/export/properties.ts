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

/** Someone was in a role when another one, who still is, came in. */
const leftBesideLasting: Described = {
  people: ['ada', 'bob'].map((username) => ({ username, name: username, locked: false })),
  dataSources: [{ alias: 'one', name: 'one', uri: 'postgresql://h', hasPassword: false }],
  roles: [
    {
      name: 'readers',
      people: [],
      dataSources: [0],
      turns: [
        { person: 0, windows: [{ from: null, days: 279 }], isLast: false },
        { person: 1, windows: [{ from: -122, days: null }], isLast: false },
      ],
    },
  ],
  permissions: [],
  snippets: [],
};

/** Someone whom definitions cannot name has a role for a time: a list of its people would take it away. */
const outlawInTurn: Described = {
  people: [{ username: '\u00a0nbsp', name: 'ada', locked: false }],
  dataSources: [],
  roles: [
    {
      name: 'readers',
      people: [],
      dataSources: [],
      turns: [{ person: 0, windows: [{ from: -100, days: null }], isLast: false }],
    },
  ],
  permissions: [],
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
        { numRuns, examples: [[outlawInTurn]] },
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
        { numRuns, examples: [[overBesideLasting], [leftBesideLasting]] },
      );
    });
  });
}
