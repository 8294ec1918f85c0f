import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultRails, parseOverride } from '@rolecall/crds';
import { createView, type DesiredObject, makePlan, type Plan } from '@rolecall/reconcile';
import { optionsOf, person, useWorkspace } from '../support.ts';

describe('an override that the Workspace declares', () => {
  const workspace = useWorkspace();
  const changed = [person('ada', { fullName: 'Ada King' })];

  async function planOn(
    day: string,
    overrides: readonly string[],
    objects: readonly DesiredObject[] = changed,
  ): Promise<Plan> {
    await workspace.apply([person('ada')]);
    const state = {
      objects,
      exact: [],
      rails: defaultRails,
      overrides: overrides.flatMap((text) => parseOverride(text) ?? []),
    };
    return makePlan(state, createView(workspace.client), optionsOf({ now: new Date(day) }));
  }

  const override = 'replace-person:Person/ada until 2026-12-08 because she married';

  it('lets through what its token names, and a note says why', async () => {
    const plan = await planOn('2026-12-08T23:59:59Z', [override]);
    assert.deepEqual(plan.refusals, []);
    assert.ok(
      plan.notes.some(({ message }) =>
        message.startsWith('is overridden by replace-person:Person/ada, until 2026-12-08 because she married: '),
      ),
    );
    const other = await planOn('2026-12-08T12:00:00Z', [override.replace('ada', 'grace')]);
    assert.deepEqual(
      other.refusals.map(({ rail }) => rail),
      ['replace-person'],
    );
    assert.ok(
      other.notes.some(
        ({ object, message }) =>
          object === 'The override replace-person:Person/grace' && message.startsWith('overrides nothing in this plan'),
      ),
    );
  });

  it('ends by itself, and does not begin more than a week before', async () => {
    for (const [day, words] of [
      ['2026-12-09T00:00:00Z', 'ended on 2026-12-08, and can be removed'],
      ['2026-12-01T23:59:59Z', 'applies from 2026-12-02 to 2026-12-08 only'],
    ] as const) {
      const plan = await planOn(day, [override]);
      assert.deepEqual(
        plan.refusals.map(({ rail }) => rail),
        ['replace-person'],
      );
      assert.ok(
        plan.notes.some(
          ({ object, message }) => object === 'The override replace-person:Person/ada' && message === words,
        ),
      );
    }
    assert.deepEqual((await planOn('2026-12-02T00:00:00Z', [override])).refusals, []);
  });

  it('is nothing to speak of where nothing is refused', async () => {
    const plan = await planOn('2026-12-08T12:00:00Z', [override], [person('ada')]);
    assert.deepEqual([plan.refusals, plan.notes], [[], []]);
  });

  it('has a token, a day and a reason', () => {
    assert.deepEqual(parseOverride('removal-share:access/the crm until 2026-12-01 because of INC-1'), {
      token: 'removal-share:access/the crm',
      until: '2026-12-01',
      reason: 'of INC-1',
    });
    for (const text of [
      'removal-share:access until 2026-12-01',
      'removal-share:access until 2026-13-01 because it is meant',
      'removal-share until 2026-12-01 because it is meant',
      'removal-share:access until tomorrow because it is meant',
      'removal-share:access until 2026-12-01 because ',
      'removal-share:access until 2026-11-31 because it is meant',
      'removal-share:access until 2026-02-30 because it is meant',
      'removal-shares:access until 2026-12-01 because it is meant',
    ])
      assert.equal(parseOverride(text), undefined, text);
  });
});
