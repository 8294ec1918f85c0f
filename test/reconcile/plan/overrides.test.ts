import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultRails, parseOverride } from '@rolecall/crds';
import { createView, type DesiredObject, makePlan, type Plan } from '@rolecall/reconcile';
import { optionsOf, person, role, useWorkspace } from '../support.ts';

describe('an override that the Workspace declares', () => {
  const workspace = useWorkspace();
  const emptied = [person('ada'), role('admins', { people: [], protected: true })];

  async function planOn(
    day: string,
    overrides: readonly string[],
    objects: readonly DesiredObject[] = emptied,
  ): Promise<Plan> {
    await workspace.apply([person('ada'), role('admins', { people: ['ada'] })]);
    const state = {
      objects,
      exact: [],
      rails: defaultRails,
      overrides: overrides.flatMap((text) => parseOverride(text) ?? []),
    };
    return makePlan(state, createView(workspace.client), optionsOf({ now: new Date(day) }));
  }

  const override = 'last-member:Role/admins until 2026-12-08 because of the new ones';

  it('lets through what its token names, and a note says why', async () => {
    const plan = await planOn('2026-12-08T23:59:59Z', [override]);
    assert.deepEqual(plan.refusals, []);
    assert.ok(
      plan.notes.some(({ message }) =>
        message.startsWith('is overridden by last-member:Role/admins, until 2026-12-08 because of the new ones: '),
      ),
    );
    const other = await planOn('2026-12-08T12:00:00Z', [override.replace('admins', 'others')]);
    assert.deepEqual(
      other.refusals.map(({ rail }) => rail),
      ['last-member'],
    );
    assert.ok(
      other.notes.some(
        ({ object, message }) =>
          object === 'The override last-member:Role/others' && message.startsWith('overrides nothing in this plan'),
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
        ['last-member'],
      );
      assert.ok(
        plan.notes.some(
          ({ object, message }) => object === 'The override last-member:Role/admins' && message === words,
        ),
      );
    }
    assert.deepEqual((await planOn('2026-12-02T00:00:00Z', [override])).refusals, []);
  });

  it('is told to go where it is of an earlier version, and stops nothing', async () => {
    const text = 'replace-person:Person/ada until 2026-12-08 because she married';
    const plan = await planOn('2026-12-08T12:00:00Z', [text], [person('ada')]);
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual(plan.notes, [
      {
        object: 'The override replace-person:Person/ada',
        message: 'overrides nothing any more, since people are edited in place: remove it',
      },
    ]);
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
