import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlan } from '@rolecall/reconcile';
import { alignedStart } from '../../../reconcile/kinds/permission.ts';
import { dataSource, describeReadings, optionsOf, permission, person, stateOf } from '../support.ts';

describeReadings('Permission', (workspace) => {
  const around = [person('ada'), dataSource('billing')];

  it('is granted with exactly the declared window', async () => {
    const window = { startsAt: '2026-12-01T09:00:00.250Z', expiresAt: '2096-12-01T17:00:00.250Z' };
    await workspace.apply([...around, permission('ada', 'billing', window)]);
    const [granted] = await workspace.client.call('listPermissions', {});
    assert.deepEqual({ startsAt: granted?.startsAt, expiresAt: granted?.expiresAt }, window);
    assert.deepEqual((await workspace.plan([...around, permission('ada', 'billing', window)])).steps, []);
  });

  it('without a start begins now, ends exactly as declared, and is found again', async () => {
    const { startsAt: _none, ...open } = permission('ada', 'billing', { expiresAt: '2096-12-01T17:00:00.123Z' });
    const now = new Date();
    await workspace.apply([...around, open], { now });
    const [granted] = await workspace.client.call('listPermissions', {});
    assert.equal(granted?.expiresAt, '2096-12-01T17:00:00.123Z');
    assert.ok(Math.abs(Date.parse(granted.startsAt) - now.getTime()) <= 1000);
    assert.deepEqual((await workspace.plan([...around, open])).steps, []);
  });

  it('that expired stays as it is: nothing is granted again', async () => {
    const soon = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2096-01-01T00:00:00.000Z' };
    await workspace.apply([...around, permission('ada', 'billing', soon)]);
    const plan = await workspace.plan([...around, permission('ada', 'billing', soon)], { now: new Date('2097-01-01') });
    assert.deepEqual([plan.steps, plan.refusals], [[], []]);
  });

  it('wholly in the past and never granted is refused, unless it is kept for the record', async () => {
    const past = { startsAt: '2020-01-01T00:00:00.000Z', expiresAt: '2020-01-02T00:00:00.000Z' };
    const refused = await workspace.plan([...around, permission('ada', 'billing', past)]);
    assert.deepEqual(
      refused.refusals.map(({ rail }) => rail),
      ['window-past'],
    );
    assert.match(refused.refusals[0]!.remedy, /rolecall\.dev\/ended/);
    const kept = await workspace.plan([...around, permission('ada', 'billing', { ...past, ended: true })]);
    assert.deepEqual(kept.refusals, []);
    assert.equal(
      kept.steps.some(({ operation }) => operation === 'createPermission'),
      false,
    );
  });

  it('that ends later than the service grants is refused, and the grant before it stays', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const now = new Date('2026-01-01');
    const { startsAt: _none, ...last } = permission('ada', 'billing', {
      id: old!.id,
      expiresAt: dayAfter(now, 36_500),
    });
    assert.deepEqual((await workspace.plan([...around, last], { now })).refusals, []);
    const { steps, refusals } = await workspace.plan([...around, { ...last, expiresAt: dayAfter(now, 36_501) }], {
      now,
    });
    assert.deepEqual([steps, refusals.map(({ rail }) => rail)], [[], ['window-too-long']]);
    assert.match(
      `${refusals[0]!.message}. ${refusals[0]!.remedy}`,
      /expiresAt 2125-12-09T.*36,500 days.*an earlier expiresAt/,
    );
  });

  it('whose window changed is granted anew before the old one goes', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const longer = permission('ada', 'billing', { expiresAt: '2097-01-01T00:00:00.000Z' });
    const { plan } = await workspace.apply([...around, longer], { exact: ['permissions'] });
    const [create, remove] = plan.steps;
    assert.deepEqual([create?.operation, remove?.operation], ['createPermission', 'deletePermission']);
    assert.deepEqual(remove?.after, [create?.id]);
    assert.equal((await workspace.client.call('listPermissions', {})).length, 1);
  });

  it('remembered by its id is moved in place, by one call', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const window = { startsAt: '2026-02-01T00:00:00.000Z', expiresAt: '2097-01-01T00:00:00.000Z' };
    const moved = permission('ada', 'billing', { id: old!.id, ...window });
    const { plan } = await workspace.apply([...around, moved], { exact: ['permissions'] });
    assert.deepEqual(
      plan.steps.map(({ operation, effect, changes }) => [operation, effect, changes?.map(({ field }) => field)]),
      [['updatePermission', 'change', ['startsAt', 'expiresAt']]],
    );
    assert.deepEqual(await workspace.client.call('listPermissions', {}), [{ ...old, ...window }]);
    assert.deepEqual((await workspace.plan([...around, moved], { exact: ['permissions'] })).steps, []);
    // Without a start it goes on from where it began.
    const { startsAt: _none, ...open } = permission('ada', 'billing', {
      id: old!.id,
      expiresAt: '2097-06-01T00:00:00.500Z',
    });
    await workspace.apply([...around, open]);
    const [extended] = await workspace.client.call('listPermissions', {});
    assert.deepEqual(
      [extended?.id, extended?.startsAt, extended?.expiresAt],
      [old!.id, '2026-01-31T23:59:59.500Z', '2097-06-01T00:00:00.500Z'],
    );
    assert.deepEqual((await workspace.plan([...around, open])).steps, []);
  });

  it('remembered by its id is superseded by a new one first, where the service cannot move it', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const longer = permission('ada', 'billing', { id: old!.id, expiresAt: '2097-01-01T00:00:00.000Z' });
    const view = { ...workspace.createView(), edits: () => false };
    const plan = await makePlan(stateOf([...around, longer], {}), view, optionsOf({}));
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['createPermission', 'deletePermission'],
    );
    assert.deepEqual(plan.steps[1]?.after, [plan.steps[0]?.id]);
  });

  it('whose window now lies in the past ends the grant that is remembered, and is over from then on', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const over = permission('ada', 'billing', { id: old!.id, expiresAt: '2026-02-01T00:00:00.000Z' });
    for (const exact of [[], ['permissions'] as const]) {
      const { steps, refusals } = await workspace.plan([...around, over], { exact });
      assert.deepEqual([steps.map(({ operation }) => operation), refusals], [['deletePermission'], []]);
    }
    await workspace.apply([...around, over]);
    assert.deepEqual(await workspace.client.call('listPermissions', {}), []);
    const after = await workspace.plan([...around, over]);
    assert.deepEqual([after.steps, after.refusals], [[], []]);
  });

  it('whose window now lies in the past is refused without a memory, and the grant it may have made is named', async () => {
    const other = permission('ada', 'billing', { name: 'other', expiresAt: '2097-01-01T00:00:00.000Z' });
    await workspace.apply([...around, permission('ada', 'billing'), other]);
    const { startsAt: _none, ...open } = permission('ada', 'billing', { expiresAt: '2026-02-01T00:00:00.000Z' });
    for (const over of [open, permission('ada', 'billing', open)]) {
      const { steps, refusals } = await workspace.plan([...around, over, other]);
      assert.deepEqual(steps, []);
      assert.match(
        refusals[0]!.message,
        /never granted .* where ada has billing from 2026-01-01T00:00Z to 2096-01-01T00:00Z/,
      );
      assert.match(refusals[0]!.remedy, /where permissions are exact, the last two end that grant/);
    }
    const { plan } = await workspace.apply([...around, { ...open, ended: true }, other], { exact: ['permissions'] });
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['deletePermission'],
    );
  });

  it('whose window is over ends nothing of another pair, whatever id is remembered of the workspace before', async () => {
    const others = [...around, person('bob')];
    await workspace.apply([...others, permission('bob', 'billing')]);
    const [foreign] = await workspace.client.call('listPermissions', {});
    const over = permission('ada', 'billing', { id: foreign!.id, expiresAt: '2026-02-01T00:00:00.000Z' });
    const { steps, refusals } = await workspace.plan([...others, over]);
    assert.deepEqual([steps, refusals.map(({ rail }) => rail)], [[], ['window-past']]);
  });

  it('remembered by its id is left to another definition that declares it, whichever comes first', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const changed = permission('ada', 'billing', { id: old!.id, expiresAt: '2097-01-01T00:00:00.000Z' });
    const { startsAt: _none, ...open } = permission('ada', 'billing', { name: 'open' });
    for (const twin of [permission('ada', 'billing', { name: 'twin' }), open]) {
      for (const both of [
        [changed, twin],
        [twin, changed],
      ]) {
        const { steps } = await workspace.plan([...around, ...both]);
        assert.deepEqual(
          steps.map(({ operation, object }) => [operation, object.name]),
          [['createPermission', changed.name]],
        );
      }
    }
    const { steps } = await workspace.plan([...around, changed, permission('grace', 'billing', { name: 'other' })]);
    assert.ok(steps.some(({ operation }) => operation === 'updatePermission'));
  });

  it('remembered by its id is ended although another person, who cannot be made yet, is to have it under the same name', async () => {
    await workspace.apply([...around, person('grace'), permission('ada', 'billing')]);
    const [old] = await workspace.client.call('listPermissions', {});
    const { id } = (await workspace.client.call('listPeople', {})).find(({ username }) => username === 'ada')!;
    const people = [person('bob', { id, paused: true }), person('ada', { name: 'newcomer' }), person('grace')];
    const changed = permission('grace', 'billing', { id: old!.id });
    const { steps } = await workspace.plan([
      ...people,
      dataSource('billing'),
      changed,
      permission('ada', 'billing', { name: 'theirs' }),
    ]);
    assert.deepEqual(
      steps.map(({ operation, params }) => [operation, params['permission']]),
      [
        ['createPermission', undefined],
        ['deletePermission', old!.id],
      ],
    );
  });

  it('that is there twice is adopted once, and the other goes only from an exact collection', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const [granted] = await workspace.client.call('listPermissions', {});
    await grantBehind(granted!.startsAt, granted!.expiresAt);
    assert.deepEqual((await workspace.plan([...around, permission('ada', 'billing')])).steps, []);
    await workspace.apply([...around, permission('ada', 'billing')], { exact: ['permissions'] });
    assert.deepEqual(
      (await workspace.client.call('listPermissions', {})).map(({ id }) => id),
      [granted?.id],
    );
  });

  it('without a start is not confused with one that has a start and the same end, whatever time it is', async () => {
    const { startsAt: _none, ...open } = permission('ada', 'billing');
    const later = permission('ada', 'billing', { name: 'later', startsAt: '2026-06-01T00:00:00.000Z' });
    await workspace.apply([...around, open, later]);
    const plan = await workspace.plan([...around, open, later], {
      now: new Date('2080-01-01'),
      exact: ['permissions'],
    });
    assert.deepEqual([plan.steps, plan.refusals], [[], []]);
  });

  it('without a start keeps one grant when someone grants the same end by hand', async () => {
    const { startsAt: _none, ...open } = permission('ada', 'billing');
    await workspace.apply([...around, open]);
    await grantBehind('2026-05-01T00:00:00.000Z', open.expiresAt);
    const { plan } = await workspace.apply([...around, open], { exact: ['permissions'] });
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['deletePermission'],
    );
    assert.deepEqual((await workspace.plan([...around, open], { exact: ['permissions'] })).steps, []);
  });

  for (const held of ['paused', 'observeOnly'] as const) {
    it(`that is ${held} keeps the access it gave while its new window is not granted`, async () => {
      await workspace.apply([...around, permission('ada', 'billing')]);
      const changed = permission('ada', 'billing', { expiresAt: '2097-01-01T00:00:00.000Z', [held]: true });
      assert.deepEqual((await workspace.plan([...around, changed], { exact: ['permissions'] })).steps, []);
    });
  }

  it('of a username and alias that join to the same text as another pair is granted all the same', async () => {
    const objects = [
      person('a b', { email: 'ab@example.com' }),
      person('a'),
      dataSource('c'),
      dataSource('b c', { uri: 'postgresql://r@h/b' }),
    ];
    const both = [permission('a b', 'c', { name: 'one' }), permission('a', 'b c', { name: 'two' })];
    await workspace.apply([...objects, ...both]);
    assert.equal((await workspace.client.call('listPermissions', {})).length, 2);
  });

  const dayAfter = (now: Date, days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString();

  async function grantBehind(startsAt: string, expiresAt: string): Promise<void> {
    const [ada] = await workspace.client.call('listPeople', {});
    const [billing] = await workspace.client.call('listDataSources', {});
    await workspace.client.call('createPermission', {
      params: { person: ada!.id, dataSource: billing!.id },
      body: { startsAt, duration: (Date.parse(expiresAt) - Date.parse(startsAt)) / 1000 },
    });
  }

  it('starts whole seconds before its end, and never in the future', () => {
    for (const [now, end] of [
      ['2026-01-01T00:00:00.500Z', '2026-01-02T00:00:00.250Z'],
      ['2026-01-01T00:00:00.250Z', '2026-01-02T00:00:00.250Z'],
      ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
    ] as const) {
      const start = Date.parse(alignedStart(new Date(now), end));
      assert.equal((Date.parse(end) - start) % 1000, 0);
      assert.ok(start <= Date.parse(now) && Date.parse(now) - start < 1000);
    }
  });
});
