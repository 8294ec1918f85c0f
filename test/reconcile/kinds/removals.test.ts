import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defaultRails } from '@rolecall/crds';
import { findAbsent, makePlanWithClaims } from '@rolecall/reconcile';
import { removeUndeclared } from '../../../reconcile/kinds/removals.ts';
import { createClaims } from '../../../reconcile/model/claims.ts';
import {
  dataSource,
  describeReadings,
  membership,
  optionsOf,
  permission,
  person,
  role,
  snippet,
  stateOf,
} from '../support.ts';

it('an exact collection may lose more objects than a function takes arguments', async () => {
  const person = { id: 'p', username: 'ada' };
  const dataSource = { id: 'd', name: 'Shop', alias: 'shop' };
  const window = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' };
  const all = Array.from({ length: 150_000 }, (_, id) => ({ id: String(id), person, dataSource, ...window }));
  // The removal of permissions reads nothing else.
  const view = { permissions: () => Promise.resolve({ all }) };
  const scope = { view } as unknown as Parameters<typeof removeUndeclared>[2];
  const state = { objects: [], exact: ['permissions'] as const, rails: defaultRails };
  assert.equal((await removeUndeclared(state, createClaims(), scope, new Set())).length, all.length);
});

describeReadings('what a deleted definition has in the workspace', (workspace) => {
  const operations = ({ steps }: { steps: readonly { operation: string }[] }) =>
    steps.map(({ operation }) => operation).toSorted();

  it('goes, by the name of the definition, and nothing else does', async () => {
    const all = [person('ada'), person('bob'), role('analysts'), role('owners'), dataSource('billing')];
    await workspace.apply([...all, snippet('one'), snippet('two')]);
    const plan = await workspace.planWithout(
      [person('ada'), role('analysts'), dataSource('billing'), snippet('one')],
      [person('bob'), role('owners'), snippet('two')],
    );
    assert.deepEqual(
      plan.steps.map(({ operation, object: { name, deleted } }) => [operation, name, deleted]).toSorted(),
      [
        ['deleteDataSource', 'billing', true],
        ['deletePerson', 'ada', true],
        ['deleteRole', 'analysts', true],
        ['deleteSnippet', 'one', true],
        ['lockPerson', 'ada', true],
      ],
    );
  });

  it('needs no call where its person, data source or role goes, and none where it is gone', async () => {
    const around = [person('ada'), person('bob'), dataSource('billing'), role('analysts')];
    const falling = [permission('ada', 'billing'), membership('analysts', 'ada'), membership('analysts', 'bob')];
    await workspace.apply([...around, ...falling]);
    const left = [person('bob'), dataSource('billing')];
    const deleted = [person('ada'), role('analysts'), ...falling];
    assert.deepEqual(operations(await workspace.planWithout(deleted, left)), [
      'deletePerson',
      'deleteRole',
      'lockPerson',
    ]);
    await workspace.apply(left, { exact: ['people', 'roles'], rails: { ...defaultRails, allowFirstRemoval: true } });
    assert.deepEqual(operations(await workspace.planWithout(deleted, left)), []);
  });

  it('stays where another definition means it, even one that is held back', async () => {
    await workspace.apply([person('ada'), role('analysts'), membership('analysts', 'ada')]);
    for (const held of [{}, { paused: true }, { observeOnly: true }]) {
      const heirs = [person('ada', { name: 'heir', ...held }), role('analysts', { name: 'heir', ...held })];
      const listed = membership('analysts', 'ada', { name: 'heir', ...held });
      const plan = await workspace.planWithout(
        [person('ada'), role('analysts'), membership('analysts', 'ada')],
        [...heirs, listed],
      );
      assert.deepEqual(plan.steps, []);
    }
  });

  it('is what it remembers, and not what has its name by now', async () => {
    await workspace.apply([role('first'), role('second')]);
    const [first, second] = (await workspace.client.call('listRoles', {})).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    const renamed = role('first', { name: 'two', id: second!.id });
    const plan = await workspace.planWithout([renamed], [role('first', { id: first!.id })]);
    assert.deepEqual(
      plan.steps.map(({ params }) => params),
      [{ role: second!.id }],
    );
    assert.deepEqual(operations(await workspace.planWithout([role('first', { id: 'of another store' })], [])), []);
  });

  it('is found while what it refers to is about to get another name', async () => {
    await workspace.apply([
      ...[person('ada'), dataSource('billing'), role('analysts')],
      ...[permission('ada', 'billing'), membership('analysts', 'ada')],
    ]);
    const [[ada], [billing], [analysts]] = await Promise.all([
      workspace.client.call('listPeople', {}),
      workspace.client.call('listDataSources', {}),
      workspace.client.call('listRoles', {}),
    ]);
    const plan = await workspace.planWithout(
      [permission('grace', 'ledger'), membership('readers', 'grace')],
      [
        person('grace', { id: ada!.id, fullName: 'ada Example', email: 'ada@example.com' }),
        dataSource('ledger', { id: billing!.id, displayName: 'billing', uri: dataSource('billing').uri }),
        role('readers', { id: analysts!.id }),
      ],
    );
    assert.deepEqual(operations(plan), [
      ...['deletePermission', 'removeRolePerson', 'updateDataSource', 'updatePerson', 'updateRole'],
    ]);
  });

  it('stays where a role that gets another name lists it', async () => {
    await workspace.apply([person('ada'), role('analysts'), membership('analysts', 'ada')]);
    const [analysts] = await workspace.client.call('listRoles', {});
    const plan = await workspace.planWithout(
      [membership('readers', 'ada')],
      [person('ada'), role('readers', { id: analysts!.id, people: ['ada'] })],
    );
    assert.deepEqual(operations(plan), ['updateRole']);
  });

  it('is a grant that another definition of the pair, which was never granted, does not keep', async () => {
    const around = [person('ada'), dataSource('billing')];
    const own = permission('ada', 'billing', { expiresAt: '2090-01-01T00:00:00.000Z' });
    await workspace.apply([...around, own]);
    const other = permission('ada', 'billing', { name: 'other', paused: true, expiresAt: '2095-01-01T00:00:00.000Z' });
    assert.deepEqual(operations(await workspace.planWithout([own], [...around, other])), ['deletePermission']);
  });

  it('goes after what is granted in its place', async () => {
    const around = [person('ada'), dataSource('billing'), role('old', { dataSources: ['billing'] })];
    await workspace.apply([...around, membership('old', 'ada')]);
    const plan = await workspace.planWithout(
      [membership('old', 'ada')],
      [...around, role('new', { dataSources: ['billing'] }), membership('new', 'ada')],
    );
    assert.equal(plan.steps.at(-1)?.operation, 'removeRolePerson');
  });

  it('counts for the rails, and the refusal is said of each definition that it holds up', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    await workspace.apply([...people, role('analysts')]);
    const [gone, left] = [people.slice(0, 10), people.slice(10)];
    const view = workspace.createView();
    const absent = await findAbsent([...gone, role('analysts')], left, view, new Date());
    const more = { absent: [...absent.values()], isOneByOne: true };
    const { plan, heldAbsent, heldRemovals } = await makePlanWithClaims(stateOf(left, more), view, optionsOf(more));
    assert.deepEqual(operations(plan), ['deleteRole']);
    assert.deepEqual(
      [...heldAbsent].map(([name, refusals]) => [name, ...refusals.map(({ rail }) => rail)]).toSorted(),
      gone.map(({ name }) => [`Person/${name}`, 'removal-share']).toSorted(),
    );
    assert.deepEqual(heldRemovals, []);
  });

  it('goes although something refers to it where definitions come one by one, and else is refused', async () => {
    await workspace.apply([person('ada'), role('analysts', { people: ['ada'] })]);
    const left = [role('analysts', { people: ['ada'] })];
    const refused = await workspace.planWithout([person('ada')], left);
    assert.deepEqual(
      refused.refusals.map(({ rail }) => rail),
      ['still-referenced'],
    );
    const plan = await workspace.planWithout([person('ada')], left, { isOneByOne: true });
    assert.deepEqual(operations(plan), ['deletePerson', 'lockPerson']);
  });

  it('is no old name of a protected role that is new where definitions come one by one', async () => {
    await workspace.apply([role('old')]);
    const left = [role('new', { protected: true })];
    const refused = await workspace.planWithout([role('old')], left);
    assert.deepEqual([operations(refused), refused.refusals.map(({ rail }) => rail)], [[], ['protected']]);
    const plan = await workspace.planWithout([role('old')], left, { isOneByOne: true });
    assert.deepEqual(operations(plan), ['createRole', 'deleteRole']);
  });

  it('waits for nothing that is refused where definitions come one by one, and else for what is to take its place', async () => {
    const before = [person('ada'), dataSource('books'), role('old', { people: ['ada'], dataSources: ['books'] })];
    await workspace.apply(before);
    const left = [...before.slice(0, 2), role('new', { people: ['ada'], dataSources: ['books', 'nowhere'] })];
    const waiting = await workspace.planWithout([role('old')], left);
    assert.ok(!operations(waiting).includes('deleteRole'), operations(waiting).join());
    const plan = await workspace.planWithout([role('old')], left, { isOneByOne: true });
    assert.ok(operations(plan).includes('deleteRole'), operations(plan).join());
  });
});
