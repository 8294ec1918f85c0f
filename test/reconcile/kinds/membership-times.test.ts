import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeAccess } from '@rolecall/reconcile';
import { accessWords } from '../../../reconcile/review/words.ts';
import { dataSource, membership, person, role, useWorkspace } from '../support.ts';

const now = new Date('2026-12-08T12:00:00.000Z');
const first = { startsAt: '2026-12-07T09:00:00.000Z', expiresAt: '2026-12-14T09:00:00.000Z' };
const second = { startsAt: '2026-12-21T09:00:00.000Z', expiresAt: '2026-12-28T09:00:00.000Z' };
const over = { startsAt: '2026-11-02T09:00:00.000Z', expiresAt: '2026-11-09T09:00:00.000Z' };
const around = [person('ada'), person('bob'), dataSource('billing'), dataSource('secret')];
const onCall = role('on-call', { dataSources: ['billing'] });
const turn = (window: typeof first, name = 'turn') => membership('on-call', 'ada', { window, name });
const summaries = ({ steps }: { steps: readonly { summary: string }[] }) => steps.map(({ summary }) => summary);

describe('a membership for a time, on a service that keeps times', () => {
  const workspace = useWorkspace('in one call');

  async function windowsOfAda() {
    const [found] = (await workspace.client.call('listRoles', {})).filter(({ name }) => name === 'on-call');
    const people = await workspace.client.call('listRolePeople', { params: { role: found!.id } });
    return people.find(({ username }) => username === 'ada')?.windows;
  }

  it('is written with all times that definitions declare, in one call, and then there is nothing to do', async () => {
    const wanted = [...around, onCall, turn(second, 'two'), turn(first, 'one')];
    const { plan, result } = await workspace.apply(wanted, { now });
    assert.deepEqual(result.failed, []);
    assert.ok(
      summaries(plan).includes(
        'add ada to on-call from 2026-12-07T09:00Z until 2026-12-14T09:00Z and from 2026-12-21T09:00Z until 2026-12-28T09:00Z',
      ),
    );
    assert.deepEqual(await windowsOfAda(), [first, second]);
    for (const day of [now, new Date('2026-12-16T00:00:00.000Z'), new Date('2027-01-01T00:00:00.000Z')]) {
      assert.deepEqual((await workspace.plan(wanted, { now: day })).steps, []);
    }
  });

  it('is planned with its reason, which no later plan compares', async () => {
    const why = { reason: 'ROTA-12' };
    const wanted = [...around, { ...onCall, ...why }, { ...turn(first), ...why }, membership('on-call', 'bob', why)];
    const { plan } = await workspace.apply(wanted, { now });
    const given = plan.steps.filter(({ reason }) => reason === why.reason).map(({ operation }) => operation);
    assert.deepEqual(given.toSorted(), ['addRolePerson', 'createRole', 'setRolePersonWindows']);
    assert.deepEqual(
      (await workspace.plan([...around, onCall, turn(first), membership('on-call', 'bob')], { now })).steps,
      [],
    );
  });

  it('is given always where it had times', async () => {
    const always = membership('on-call', 'ada');
    await workspace.apply([...around, onCall, turn(first)], { now });
    assert.deepEqual(summaries(await workspace.plan([...around, onCall, always], { now })), ['add ada to on-call']);
    await workspace.apply([...around, onCall, always], { now });
  });

  it('is given always in a renamed role whose old name had it for a time, and the other way round', async () => {
    await workspace.apply([...around, onCall, turn(first)], { now });
    const idOf = async (called: string) =>
      (await workspace.client.call('listRoles', {})).find(({ name }) => name === called)!.id;
    const renamed = role('rota', { id: await idOf('on-call'), dataSources: ['billing'] });
    const wanted = [...around, renamed, membership('rota', 'ada')];
    const { result } = await workspace.apply(wanted, { now });
    assert.deepEqual(result.failed, []);
    const after = [...around, role('rota', { dataSources: ['billing'] }), membership('rota', 'ada')];
    assert.deepEqual((await workspace.plan(after, { now })).steps, []);
    const back = [...around, { ...onCall, id: await idOf('rota') }, turn(second)];
    const { plan } = await workspace.apply(back, { now });
    assert.equal(
      plan.steps.some(({ operation }) => operation === 'addRolePerson'),
      false,
    );
    assert.deepEqual(await windowsOfAda(), [second]);
  });

  it('takes access that a member had always, gives it always again, and says so', async () => {
    await workspace.apply([...around, onCall, membership('on-call', 'ada')], { now });
    const plan = await workspace.plan([...around, onCall, turn(first)], { now });
    assert.deepEqual(plan.steps[0]?.changes, [
      { field: 'windows', from: 'always', to: 'from 2026-12-07T09:00Z until 2026-12-14T09:00Z' },
    ]);
    const { access = [] } = await describeAccess(plan, workspace.createView(), now);
    assert.deepEqual(
      accessWords(access, (name) => name, now.toISOString()),
      ['ada reaches billing through on-call until 2026-12-14T09:00Z instead of through on-call'],
    );
    await workspace.apply([...around, onCall, turn(first)], { now });
    assert.deepEqual(await windowsOfAda(), [first]);
    await workspace.apply([...around, { ...onCall, people: ['ada'] }, turn(first)], { now });
    assert.equal(await windowsOfAda(), undefined);
    assert.deepEqual(
      (await workspace.plan([...around, { ...onCall, people: ['ada'] }, turn(first)], { now })).steps,
      [],
    );
  });

  it('is not written once it is over, is noted then, and ends what was there before', async () => {
    await workspace.apply([...around, onCall], { now });
    const never = await workspace.plan([...around, onCall, turn(over)], { now });
    assert.deepEqual(never.steps, []);
    assert.deepEqual(
      never.notes.map(({ message }) => message),
      [`ended at ${over.expiresAt}, and is not in this workspace`],
    );
    await workspace.apply([...around, onCall, membership('on-call', 'ada')], { now });
    const ended = await workspace.plan([...around, onCall, turn(over)], { now });
    assert.deepEqual(summaries(ended), ['remove ada from on-call']);
  });

  it('keeps what is held back, and removes only the time whose definition was deleted', async () => {
    const wanted = [...around, onCall, turn(first, 'one'), turn(second, 'two')];
    await workspace.apply(wanted, { now });
    const held = [...around, onCall, { ...turn(first, 'one'), paused: true }, turn(second, 'two')];
    assert.deepEqual((await workspace.plan(held, { now })).steps, []);
    const [one, two] = [turn(first, 'one'), turn(second, 'two')];
    const left = await workspace.planWithout([one], [...around, onCall, two], { now });
    assert.deepEqual(left.steps[0]?.body, { windows: [second] });
    const all = await workspace.planWithout([one, two], [...around, onCall], { now });
    assert.deepEqual(
      all.steps.map(({ operation }) => operation),
      ['removeRolePerson'],
    );
  });

  it('that is held back keeps its own time, and nothing else of one whose definition was deleted', async () => {
    const always = membership('on-call', 'ada', { name: 'always' });
    const removed = async (object: typeof always, other: typeof always) => {
      const { steps } = await workspace.planWithout([object], [...around, onCall, other], { now });
      return steps.map(({ operation, body }) => [operation, body?.['windows']]);
    };
    for (const held of [{ paused: true }, { observeOnly: true }]) {
      // Ada has the role for good, or only by the times of both.
      await workspace.apply([...around, onCall, always], { now });
      const gone = [['removeRolePerson', undefined]];
      assert.deepEqual(await removed(always, { ...turn(second), ...held }), gone);
      assert.deepEqual(await removed(turn(first, 'one'), { ...always, ...held }), []);
      await workspace.apply([...around, onCall, turn(first, 'one'), turn(second)], { now });
      const left = [['setRolePersonWindows', [second]]];
      assert.deepEqual(await removed(turn(first, 'one'), { ...turn(second), ...held }), left);
      assert.deepEqual(await removed(turn(first, 'one'), { ...turn(over), ...held }), gone);
      await workspace.apply([...around, onCall, turn(second)], { now });
      assert.deepEqual(await removed(turn(first, 'one'), { ...turn(second), ...held }), []);
    }
  });

  it('takes nothing from someone whom the list of a role that is refused gives it always', async () => {
    const listed = role('on-call', { people: ['ada'], dataSources: ['billing'] });
    await workspace.apply([...around, listed], { now });
    const refused = { ...listed, people: ['ada', 'typo'] };
    const plan = await workspace.plan([...around, refused, turn(second)], { now });
    assert.deepEqual([plan.refusals.map(({ rail }) => rail), plan.steps], [['missing-reference'], []]);
    // The same while another time is there that no definition has any more.
    await workspace.apply([...around, onCall, turn(first)], { now });
    const later = await workspace.plan([...around, { ...refused, name: onCall.name }, turn(second)], { now });
    assert.deepEqual(
      later.steps.map(({ body }) => body?.['windows']),
      [[first, second]],
    );
  });

  it('outside of its times keeps no one in: it holds no removal up, and no protected role', async () => {
    const always = role('always', { people: ['ada'], dataSources: ['billing'] });
    await workspace.apply([...around, onCall, always, turn(second)], { now });
    const taken = await workspace.plan([...around, onCall, role('always', { people: [] }), turn(second)], { now });
    assert.deepEqual(summaries(taken), ['remove ada from always']);
    const guarded = { ...onCall, protected: true, people: [] };
    await workspace.apply([...around, { ...onCall, people: ['bob'] }, turn(second)], { now });
    const { refusals } = await workspace.plan([...around, guarded, turn(second)], { now });
    assert.deepEqual(
      refusals.map(({ rail }) => rail),
      ['last-member'],
    );
  });

  it('that begins later is written once what its person is not to reach has left the role', async () => {
    await workspace.apply([...around, role('on-call', { dataSources: ['secret'] })], { now });
    const { steps } = await workspace.plan([...around, onCall, turn(second)], { now });
    const joining = steps.find(({ operation }) => operation === 'setRolePersonWindows');
    const leaving = steps.find(({ operation }) => operation === 'removeRoleDataSource');
    assert.ok(leaving !== undefined && joining?.after.includes(leaving.id));
  });
});

describe('a membership for a time, on a service of the specification', () => {
  const workspace = useWorkspace();

  it('is given and taken by plain calls as the moment is, and the plan says so', async () => {
    const wanted = [...around, onCall, turn(first)];
    const before = new Date('2026-12-01T00:00:00.000Z');
    const early = await workspace.apply(wanted, { now: before });
    assert.ok(!summaries(early.plan).includes('add ada to on-call'));
    assert.match(early.plan.notes[0]?.message ?? '', /only when Rolecall runs at that moment/);
    assert.equal(early.plan.notes[0]?.code, 'kept-by-runs');
    assert.deepEqual(summaries((await workspace.apply(wanted, { now })).plan), ['add ada to on-call']);
    const after = new Date(first.expiresAt);
    assert.deepEqual(summaries((await workspace.apply(wanted, { now: after })).plan), ['remove ada from on-call']);
    const { steps, notes } = await workspace.plan(wanted, { now: after });
    assert.deepEqual([steps, notes], [[], []]);
  });
});
