import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exactCollections } from '@rolecall/crds';
import { converge, type DesiredObject, label, makePlan, rememberingOthers } from '@rolecall/reconcile';
import fc from 'fast-check';
import { findCurrentId } from '../../../reconcile/kinds/find-id.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { dataSource, optionsOf, permission, person, role, stateOf } from '../support.ts';
import { MemoryWorkspace } from './memory-workspace.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const rails = { maxRemovalPercent: 100, minimumRemoval: 1 };
const [one, other] = ['postgresql://reader@one.internal:5432/main', 'mysql://reader@two.internal:3306/main'];
const passes = 6;

const all = (count: number) => Array.from({ length: count }, (_, index) => index);
const some = (count: number) => fc.subarray(all(count));
const each = (count: number) => fc.constant(all(count));
const names = (prefix: string, count: number) =>
  fc.shuffledSubarray(
    all(count + 1).map((index) => `${prefix}${index}`),
    { minLength: count, maxLength: count },
  );

/**
 * Definitions that keep their own names, and take names of the workspace from a few: so they give and take each other's.
 *
 * @param which of so many there are
 */
const stateOfSome = (which: (count: number) => fc.Arbitrary<number[]>): fc.Arbitrary<DesiredObject[]> =>
  fc
    .record({
      usernames: names('user', 4),
      emails: names('mail', 4),
      aliases: names('source', 3),
      roles: names('role', 3),
    })
    .chain(({ usernames, emails, aliases, roles }) =>
      fc.tuple(which(4), which(3), which(3)).chain(([people, sources, named]) =>
        fc.tuple(
          fc.constant(
            people.map((at) => person(usernames[at] ?? '', { name: `p${at}`, email: `${emails[at]}@example.com` })),
          ),
          fc.tuple(
            ...sources.map((at) =>
              fc.constantFrom(one, other).map((uri) => dataSource(aliases[at] ?? '', { name: `d${at}`, uri })),
            ),
          ),
          fc.tuple(
            ...named.map((at) =>
              fc.record({ in: fc.subarray(people), of: fc.subarray(sources) }).map((members) =>
                role(roles[at] ?? '', {
                  name: `r${at}`,
                  people: members.in.map((index) => usernames[index] ?? ''),
                  dataSources: members.of.map((index) => aliases[index] ?? ''),
                }),
              ),
            ),
          ),
          fc
            .subarray(people.flatMap((who) => sources.map((what) => [who, what] as const)))
            .map((pairs) =>
              pairs
                .slice(0, 3)
                .map(([who, what]) =>
                  permission(usernames[who] ?? '', aliases[what] ?? '', { name: `q${who}${what}` }),
                ),
            ),
        ),
      ),
    )
    .map((sets) => sets.flat());

/** A front end that remembers ids, as the operator does, and plans until nothing is left to do. */
class Remembering {
  readonly workspace = new MemoryWorkspace(now);
  readonly #ids = new Map<string, string>();

  async settle(objects: readonly DesiredObject[]): Promise<void> {
    for (const name of [...this.#ids.keys()])
      if (!objects.some((object) => label(object) === name)) this.#ids.delete(name);
    for (let pass = 0; pass < passes; pass += 1) {
      const state = stateOf(await this.#remembered(objects), { exact: exactCollections, rails });
      const asked = await makePlan(state, this.workspace.view, optionsOf({ now }));
      const overrides = [...new Set(asked.refusals.flatMap(({ override }) => override ?? []))];
      const plan = await makePlan(state, this.workspace.view, optionsOf({ now, overrides }));
      if (plan.steps.length === 0 && plan.refusals.length === 0) return;
      await converge(plan, this.workspace.client, optionsOf({ now }));
      for (const object of state.objects) await this.#remember(object);
    }
    assert.fail(`something is left to do after ${passes} passes`);
  }

  async #remembered(objects: readonly DesiredObject[]): Promise<DesiredObject[]> {
    const remembered = objects.map((object) => {
      const id = this.#ids.get(label(object));
      return id === undefined ? object : { ...object, id };
    });
    const others = new Set((await rememberingOthers(remembered, this.workspace.view, now)).map(label));
    return objects.map((object, index) => (others.has(label(object)) ? object : (remembered[index] ?? object)));
  }

  async #remember(object: DesiredObject): Promise<void> {
    const id = await findCurrentId(object, this.workspace.view, now);
    if (id === undefined) this.#ids.delete(label(object));
    else this.#ids.set(label(object), id);
  }
}

async function planFor(objects: readonly DesiredObject[], workspace: MemoryWorkspace) {
  return makePlan(stateOf(objects, { rails }), workspace.view, optionsOf({ now }));
}

describe('definitions that are remembered by id', () => {
  it('come to rest however they give and take each other names', async () => {
    await fc.assert(
      fc.asyncProperty(stateOfSome(some), stateOfSome(each), async (first, second) => {
        const [kept, anew] = [new Remembering(), new Remembering()];
        await kept.settle(first);
        await kept.settle(second);
        await anew.settle(second);
        assert.deepEqual(kept.workspace.reached(), anew.workspace.reached());
      }),
      { numRuns: propertyRuns({ quick: 40, all: 400 }) },
    );
  });

  const people = [person('ada'), person('bob')];

  it('a role that takes the name of one that is renamed is not deleted with it', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = [...people, dataSource('billing'), dataSource('stock')];
    const before = role('old', { name: 'r1', people: ['ada'], dataSources: ['billing'] });
    await converge(await planFor([...around, before], workspace), workspace.client, optionsOf({ now }));
    const id = [...workspace.roles.keys()][0] ?? '';
    const renamed = role('new', { name: 'r1', id, people: ['ada'], dataSources: [] });
    const heir = role('old', { name: 'r2', people: ['ada', 'bob'], dataSources: ['billing', 'stock'] });
    const expected = [
      'rename the role old to new',
      'create the role old',
      'add ada to old',
      'add billing to old',
      'remove billing from new',
      'add bob to old',
      'add stock to old',
    ];
    const plan = await planFor([...around, renamed, heir], workspace);
    assert.deepEqual(
      plan.steps.map(({ summary }) => summary),
      expected,
    );
    const forgotten = async (...objects: DesiredObject[]) =>
      (await rememberingOthers(objects, workspace.view, now)).map(label);
    assert.deepEqual(await forgotten(renamed, heir), []);
    // An interruption may have recorded one for both.
    const source = workspace.dataSources.values().find(({ alias }) => alias === 'billing')?.id ?? '';
    const twins = [dataSource('billing', { name: 'd1', id: source }), dataSource('more', { name: 'd2', id: source })];
    assert.deepEqual(await forgotten(...twins, { ...heir, id }, renamed), ['DataSource/d2', 'Role/r1']);
    assert.deepEqual(await forgotten(renamed), []);
    // Neither has it by its name: one of them has it all the same, or both would be refused for ever.
    const [first, second] = [
      dataSource('more', { name: 'd1', id: source }),
      dataSource('less', { name: 'd2', id: source }),
    ];
    assert.deepEqual(await forgotten(first, second), ['DataSource/d2']);
  });

  it('a data source that takes the alias of one that is renamed does not take that one over', async () => {
    const workspace = new MemoryWorkspace(now);
    const before = dataSource('old', { name: 'd1', uri: one });
    await converge(await planFor([...people, before], workspace), workspace.client, optionsOf({ now }));
    const id = [...workspace.dataSources.keys()][0] ?? '';
    const renamed = dataSource('new', { name: 'd1', id, uri: one });
    const taker = dataSource('old', { name: 'd2', uri: other });
    const plan = await planFor([...people, renamed, taker, permission('bob', 'old')], workspace);
    const grant = plan.steps.find(({ operation }) => operation === 'createPermission');
    assert.deepEqual(grant?.params['dataSource'], { ref: 'DataSource old' });
  });

  it('data sources that exchange their aliases free one of them for a moment', async () => {
    const workspace = new MemoryWorkspace(now);
    const named = (...aliases: string[]) => aliases.map((alias, at) => dataSource(alias, { name: `d${at}` }));
    await converge(await planFor(named('one', 'two', 'three'), workspace), workspace.client, optionsOf({ now }));
    const ids = [...workspace.dataSources.keys()];
    const after = named('two', 'three', 'one').map((object, at) => ({ ...object, id: ids[at] ?? '' }));
    const plan = await planFor(after, workspace);
    const { failed } = await converge(plan, workspace.client, optionsOf({ now }));
    assert.deepEqual(failed, []);
    assert.equal(plan.steps.length, 4);
    const aliases = [...workspace.dataSources.values()].map(({ alias }) => alias);
    assert.deepEqual(aliases, ['two', 'three', 'one']);
    assert.deepEqual((await planFor(after, workspace)).steps, []);
    const twin = dataSource('two', { name: 'd3' });
    assert.deepEqual(
      (await planFor([...after, twin], workspace)).refusals.map(({ rail }) => rail),
      ['declared-twice'],
    );
    // The same while the aliases still differ: no circle that it is not in keeps a plan from ending.
    const moved = named('three', 'one', 'two').map((object, at) => ({ ...object, id: ids[at] ?? '' }));
    const refused = await planFor([...moved, dataSource('one', { name: 'd3' })], workspace);
    // Of the twins neither gives up its alias, and so no other one does.
    assert.deepEqual(
      refused.refusals.map(({ rail }) => rail),
      ['declared-twice', 'alias-taken', 'alias-taken'],
    );
    // One that is left as it is keeps its alias: then none is freed, and the one that would take it is refused.
    const paused = named('three', 'two', 'one').map((object, at) => ({
      ...object,
      id: ids[at] ?? '',
      paused: at === 0,
    }));
    const { steps, refusals } = await planFor(paused, workspace);
    assert.deepEqual([steps, refusals.map(({ rail }) => rail)], [[], ['alias-taken']]);
  });

  it('of two permissions that remember one grant, the one that declares it has it', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = [...people, dataSource('billing')];
    const before = [...around, permission('ada', 'billing', { name: 'q1' })];
    await converge(await planFor(before, workspace), workspace.client, optionsOf({ now }));
    const [id = ''] = workspace.permissions.keys();
    const [other, owner] = [
      permission('gone', 'billing', { name: 'q2', id }),
      permission('ada', 'billing', { name: 'q1', id }),
    ];
    assert.deepEqual(await rememberingOthers([other, owner], workspace.view, now), [other]);
  });

  it('a renamed role whose data source is led to another database gets an order', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = (uri: string) => [...people, dataSource('billing', { uri })];
    const before = role('old', { name: 'r1', people: ['ada'], dataSources: ['billing'] });
    await converge(await planFor([...around(one), before], workspace), workspace.client, optionsOf({ now }));
    const id = [...workspace.roles.keys()][0] ?? '';
    const after = role('new', { name: 'r1', id, people: ['bob'], dataSources: ['billing'] });
    const { steps } = await planFor([...around(other), after], workspace);
    const update = steps.findIndex(({ operation }) => operation === 'updateDataSource');
    const joins = steps.findIndex(({ summary }) => summary === 'add bob to new');
    assert.ok(update >= 0 && update < joins, 'bob would reach the database before');
  });

  it('a renamed role that has the data source which takes the alias of the one it gives up gets an order', async () => {
    const workspace = new MemoryWorkspace(now);
    const before = [
      ...people,
      dataSource('one', { name: 'd1', uri: one }),
      dataSource('two', { name: 'd2', uri: one }),
      role('old', { name: 'r1', people: ['ada'], dataSources: ['one'] }),
    ];
    await converge(await planFor(before, workspace), workspace.client, optionsOf({ now }));
    const [first = '', second = ''] = workspace.dataSources.keys();
    const id = [...workspace.roles.keys()][0] ?? '';
    const after = [
      ...people,
      dataSource('three', { name: 'd1', id: first, uri: other }),
      dataSource('one', { name: 'd2', id: second, uri: other }),
      role('new', { name: 'r1', id, people: ['bob'], dataSources: ['one'] }),
    ];
    const { steps, refusals } = await planFor(after, workspace);
    assert.deepEqual(refusals, []);
    const at = (summary: string) => steps.findIndex((step) => step.summary === summary);
    assert.ok(at('change the data source three') < at('change the data source one'), 'the alias is not free yet');
    assert.ok(at('change the data source one') < at('add bob to new'), 'bob would reach the database before');
    await converge(await planFor(after, workspace), workspace.client, optionsOf({ now }));
    assert.deepEqual(workspace.reached(), new Set(['bob one']));
  });

  it('permissions that change places between data sources that are led to other databases get an order', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = (uri: string) => [...people, dataSource('billing', { uri }), dataSource('stock', { uri })];
    const granted = (ids: readonly string[], [of, by]: readonly [string, string]) => [
      permission('ada', of, { name: 'q1', ...(ids[0] && { id: ids[0] }) }),
      permission('bob', by, { name: 'q2', ...(ids[1] && { id: ids[1] }) }),
    ];
    const before = [...around(one), ...granted([], ['billing', 'stock'])];
    await converge(await planFor(before, workspace), workspace.client, optionsOf({ now }));
    const idOf = (name: string) =>
      workspace.permissions.values().find(({ person: who }) => workspace.people.get(who)?.username === name)?.id ?? '';
    const after = [...around(other), ...granted([idOf('ada'), idOf('bob')], ['stock', 'billing'])];
    const { steps } = await planFor(after, workspace);
    assert.equal(steps.length, 6);
    await converge(await planFor(after, workspace), workspace.client, optionsOf({ now }));
    assert.deepEqual(workspace.reached(), new Set(['ada stock', 'bob billing']));
  });
});
