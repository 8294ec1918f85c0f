import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DesiredObject, Fit, Refusal } from '@rolecall/reconcile';
import { type More, membership, person, role, useWorkspace } from '../support.ts';
import { earlier, later, readState } from './two-states.ts';

describe('the memory of a set', () => {
  const workspace = useWorkspace('in one call');
  const set: More = { set: 'main' };
  const refusal: Refusal = {
    rail: 'other-origin',
    objects: [],
    message: '',
    remedy: '',
    override: 'other-origin:main',
  };
  const part: Fit = { is: 'part', whole: 'here', refusal };
  const member = { name: 'member' };
  const apply = async (objects: readonly DesiredObject[], more: More = set) => {
    const { plan, result } = await workspace.apply(objects, more);
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    return plan;
  };

  it('knows all objects again, whatever was renamed', async () => {
    await apply(earlier);
    const before = await readState(workspace.client);
    await apply(later);
    const after = await readState(workspace.client);
    assert.equal(after.ids['lovelace'], before.ids['ada']);
    assert.equal(after.ids['engineers'], before.ids['staff']);
    assert.equal(after.ids['Sums'], before.ids['Totals']);
    assert.deepEqual(after.people, ['bob', 'lovelace']);
    assert.deepEqual((await workspace.plan(later, set)).steps, []);
    await apply(earlier);
    assert.deepEqual((await readState(workspace.client)).state, before.state);
  });

  it('has no part in what another set declares, nor in what was made by hand', async () => {
    await workspace.client.call('createPerson', { body: { username: 'zoe', name: 'Zoe', email: 'zoe@example.com' } });
    await apply([person('ada'), person('bob')]);
    await apply([person('bob'), person('cy')], { set: 'other' });
    const plan = await apply([]);
    assert.deepEqual(
      plan.steps.map(({ operation, object }) => `${operation} ${object.name}`),
      ['lockPerson ada', 'deletePerson ada'],
    );
    assert.deepEqual((await readState(workspace.client)).people, ['bob', 'cy', 'zoe']);
    await apply([], { set: 'other' });
    assert.deepEqual((await readState(workspace.client)).people, ['zoe']);
  });

  it('removes nothing by a part of the definitions, and renames all the same', async () => {
    await apply([person('ada'), person('bob')]);
    await apply([person('countess', { name: 'ada', email: 'ada@example.com' })], { ...set, fit: part });
    assert.deepEqual((await readState(workspace.client)).people, ['bob', 'countess']);
  });

  it('is not asked of a definition that is paused or refused: what it has stays', async () => {
    await apply([role('staff'), role('ops'), person('ada'), membership('staff', 'ada', member)]);
    const moved = membership('ops', 'ada', { ...member, paused: true });
    assert.deepEqual((await workspace.plan([role('staff'), role('ops'), person('ada'), moved], set)).steps, []);
    const lost = membership('nowhere', 'ada', member);
    const { plan } = await workspace.apply([role('staff'), role('ops'), person('ada'), lost], set);
    assert.deepEqual([plan.steps, plan.refusals.map(({ rail }) => rail)], [[], ['missing-reference']]);
  });

  it('guards removals by the rails', async () => {
    const all = Array.from({ length: 12 }, (_, number) => person(`p${number}`));
    await apply(all);
    const { refusals, steps } = await workspace.plan(all.slice(0, 2), set);
    assert.deepEqual(
      refusals.map(({ override }) => override),
      ['removal-share:people'],
    );
    assert.deepEqual(steps, []);
    const lists = role('staff', { people: ['p0'] });
    await apply([...all, lists]);
    const used = await workspace.plan([...all.slice(1), lists], set);
    assert.deepEqual(
      used.refusals.map(({ rail }) => rail),
      ['still-referenced'],
    );
  });

  it('asks before it removes what Terraform or an operator wrote last', async () => {
    await apply([person('ada'), person('bob')]);
    const [ada] = await workspace.client.call('listPeople', {});
    assert.ok(ada);
    await workspace
      .as('terraform/main')
      .call('updatePerson', { params: { person: ada.id }, body: { name: 'Ada King' } });
    const { refusals } = await workspace.plan([person('bob')], set);
    assert.deepEqual(
      refusals.map(({ override }) => override),
      ['first-removal:people'],
    );
  });

  it('takes one call a renamed person, and one request a plan', async () => {
    const people = (domain: string) =>
      Array.from({ length: 300 }, (_, number) => person(`${domain}${number}`, { name: `p${number}` }));
    await apply(people('a'));
    workspace.takeCalls();
    await apply(people('b'));
    const calls = workspace.takeCalls();
    assert.equal(calls.filter((call) => call === 'updatePerson').length, 300);
    // Who wrote them last is a note of each plan that changes anything.
    assert.deepEqual([...new Set(calls)].sort(), ['listManaged', 'readSnapshot', 'updatePerson']);
    assert.equal(calls.filter((call) => call === 'readSnapshot').length, 1);
  });

  it('recovers from a client that tells nothing of it', async () => {
    await apply([person('ada')]);
    // An older version of the command line writes without the memory.
    await workspace.apply([person('ada'), person('bob')]);
    const taken = await apply([person('ada'), person('bob')]);
    assert.match(taken.notes.map(({ message }) => message).join('\n'), /takes over an object/);
    await apply([person('ada')]);
    assert.deepEqual((await readState(workspace.client)).people, ['ada']);
  });
});
