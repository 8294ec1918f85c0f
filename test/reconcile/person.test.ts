import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dataSource, membership, permission, person, role, snippet, useWorkspace } from './support.ts';

describe('Person', () => {
  const workspace = useWorkspace();

  it('is created once, and needs nothing afterwards', async () => {
    const { result } = await workspace.apply([person('ada')]);
    assert.equal(result.done.length, 1);
    assert.deepEqual((await workspace.plan([person('ada')])).steps, []);
  });

  it('is adopted when somebody with the username exists, whatever its case', async () => {
    await workspace.apply([person('Ada')]);
    assert.deepEqual(
      (await workspace.plan([person('ada', { fullName: 'Ada Example', email: 'ADA@example.com' })])).steps,
      [],
    );
  });

  it('is locked right after being created, before anything is granted', async () => {
    const { plan, result } = await workspace.apply([
      person('ada', { locked: true }),
      role('analysts', { people: ['ada'] }),
    ]);
    const lock = plan.steps.find(({ operation }) => operation === 'lockPerson');
    const grant = plan.steps.find(({ operation }) => operation === 'addRolePerson');
    assert.ok(lock !== undefined && grant?.after.includes(lock.id));
    assert.equal(result.failed.length, 0);
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.isLocked, true);
  });

  it('is unlocked again when locked behind the back of what is declared', async () => {
    await workspace.apply([person('ada')]);
    const [ada] = await workspace.client.call('listPeople', {});
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    const { plan } = await workspace.apply([person('ada')]);
    assert.deepEqual(
      plan.steps.map(({ operation, effect }) => [operation, effect]),
      [['unlockPerson', 'change']],
    );
    assert.deepEqual((await workspace.plan([person('ada')])).steps, []);
  });

  it('is not replaced for a changed name unless that is allowed', async () => {
    await workspace.apply([person('ada')]);
    const plan = await workspace.plan([person('ada', { fullName: 'Ada King' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail, override }) => [rail, override]),
      [['replace-person', 'replace-person:Person/ada']],
    );
    assert.match(plan.refusals[0]!.message, /name from ada Example to Ada King/);
    assert.match(plan.refusals[0]!.remedy, /replace-allowed/);
  });

  it('gets back every grant and snippet that falls with a replacement', async () => {
    const now = new Date();
    const around = [
      role('analysts', { people: ['ada', 'grace'] }),
      role('unlisted'),
      membership('unlisted', 'ada'),
      dataSource('billing'),
      permission('ada', 'billing'),
      snippet('Mine', { owner: { kind: 'Person', username: 'ada' } }),
      person('grace'),
    ];
    await workspace.apply([person('ada'), ...around], { now });
    const changed = person('ada', { email: 'ada@king.example', replaceAllowed: true });
    const { plan, result } = await workspace.apply([changed, ...around], { now });
    assert.deepEqual(result.failed, []);
    assert.deepEqual(new Set(plan.steps.map(({ effect }) => effect)), new Set(['replace']));
    assert.match(plan.notes[0]!.message, /4 grants and snippets fall and are made again/);
    assert.deepEqual((await workspace.plan([changed, ...around], { now })).steps, []);
    const ada = (await workspace.client.call('listPeople', {})).find(({ username }) => username === 'ada');
    assert.equal(ada?.email, 'ada@king.example');
  });

  it('who is protected is not replaced even where that is allowed', async () => {
    await workspace.apply([person('ada')]);
    const changed = person('ada', { fullName: 'Ada King', replaceAllowed: true, protected: true });
    assert.deepEqual(
      (await workspace.plan([changed])).refusals.map(({ rail }) => rail),
      ['protected'],
    );
    assert.deepEqual((await workspace.plan([changed], { overrides: ['protected:Person/ada'] })).refusals, []);
  });

  it('is refused when another person has the e-mail address, before any call', async () => {
    await workspace.apply([person('grace', { email: 'shared@example.com' })]);
    const plan = await workspace.plan([person('ada', { email: 'Shared@example.com' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['email-taken'],
    );
    assert.match(plan.refusals[0]!.message, /grace/);
  });

  it('who is only observed is shown and not written', async () => {
    const { plan, result } = await workspace.apply([person('ada', { observeOnly: true })]);
    assert.deepEqual(
      plan.observed.map(({ operation }) => operation),
      ['createPerson'],
    );
    assert.deepEqual([plan.steps, result.done], [[], []]);
    assert.deepEqual(await workspace.client.call('listPeople', {}), []);
  });

  it('who is paused is left as found, with a note', async () => {
    const plan = await workspace.plan([person('ada', { paused: true })]);
    assert.deepEqual(plan.steps, []);
    assert.match(plan.notes[0]!.message, /paused/);
  });
});
