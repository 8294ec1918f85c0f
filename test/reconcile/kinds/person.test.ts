import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dataSource, describeReadings, membership, permission, person, role, snippet } from '../support.ts';

describeReadings('Person', (workspace) => {
  it('is created once, and needs nothing afterwards', async () => {
    const { result } = await workspace.apply([person('ada')]);
    assert.equal(result.done.length, 1);
    assert.deepEqual((await workspace.plan([person('ada')])).steps, []);
  });

  it('is adopted when someone with the username exists, whatever its case', async () => {
    await workspace.apply([person('Ada')]);
    assert.deepEqual(
      (await workspace.plan([person('ada', { fullName: 'Ada Example', email: 'ADA@example.com' })])).steps,
      [],
    );
  });

  it('has one address however its domain is written', async () => {
    await workspace.apply([person('ada', { email: 'ada@münchen.example' })]);
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.email, 'ada@xn--mnchen-3ya.example');
    for (const email of ['ada@münchen.example', 'ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example']) {
      assert.deepEqual((await workspace.plan([person('ada', { email })])).steps, []);
    }
    const { refusals } = await workspace.plan([person('ada', { email: 'ada@munchen.example' })]);
    assert.deepEqual(
      refusals.map(({ rail }) => rail),
      ['replace-person'],
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

  it('is the same person whatever the case and Unicode form of the name', async () => {
    const names = ['Zoë Weiß', 'ZOË WEISS', 'zoë weiß'.normalize('NFD'), 'Zoë WEIß'];
    for (const made of names) {
      await workspace.apply([person('zoe', { fullName: made, replaceAllowed: true })]);
      for (const fullName of names) {
        const { steps, refusals } = await workspace.plan([person('zoe', { fullName, replaceAllowed: true })]);
        assert.deepEqual([steps, refusals], [[], []], `${made} as ${fullName}`);
      }
    }
    // An accent is no spelling of the letter without it.
    assert.deepEqual(
      (await workspace.plan([person('zoe', { fullName: 'Zoe Weiß' })])).refusals.map(({ rail }) => rail),
      ['replace-person'],
    );
  });

  it('keeps a name that is ignored, but not the address beside it', async () => {
    await workspace.apply([person('ada', { fullName: 'From the directory' })]);
    const ignoring = person('ada', { fullName: 'Ada Lovelace', ignored: ['name'], replaceAllowed: true });
    assert.deepEqual((await workspace.plan([ignoring])).steps, []);
    const { plan } = await workspace.apply([{ ...ignoring, email: 'ada@king.example' }]);
    assert.deepEqual(
      plan.steps.flatMap(({ changes = [] }) => changes.map(({ field }) => field)),
      ['email'],
    );
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.name, 'Ada Lovelace');
  });

  it('gets back every grant and snippet that is declared when they are replaced', async () => {
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
    assert.match(
      plan.notes[0]!.message,
      /4 of their grants and snippets are made again; until then they reach nothing/,
    );
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

  it('is not deleted for a username that another person keeps', async () => {
    await workspace.apply([person('ada'), person('grace')]);
    const people = await workspace.client.call('listPeople', {});
    const [ada, grace] = ['ada', 'grace'].map((name) => people.find(({ username }) => username === name)?.id ?? '');
    const renamed = person('grace', { id: ada!, name: 'ada', email: 'ada@example.com', replaceAllowed: true });
    const others = [
      [],
      [person('hedy', { id: grace!, name: 'grace' })],
      [person('hedy', { id: grace!, paused: true })],
    ];
    for (const around of others) {
      const { refusals, steps } = await workspace.plan([renamed, ...around]);
      const [taken] = refusals.filter(({ objects }) => objects.includes('Person/ada'));
      assert.deepEqual([taken?.rail, steps], ['username-taken', []]);
      assert.match(taken!.message, /declares the username grace, which another person in the workspace has/);
    }
    const made = await workspace.plan([
      person('grace', { name: 'new', email: 'n@x.example' }),
      person('hedy', { id: grace!, name: 'grace' }),
    ]);
    assert.deepEqual(
      made.refusals.map(({ rail, objects }) => [rail, ...objects]),
      [
        ['replace-person', 'Person/grace'],
        ['username-taken', 'Person/new'],
      ],
    );
  });

  it('who is to have the username of a stranger gives that one nothing', async () => {
    const { email } = person('ada');
    await workspace.apply([person('ada'), dataSource('billing'), role('r', { people: ['ada'] })]);
    const [ada] = await workspace.client.call('listPeople', {});
    const body = { name: 'Al', username: 'al', email: 'al@other.example' };
    const stranger = await workspace.client.call('createPerson', { body });
    const objects = [
      person('al', { id: ada!.id, name: 'ada', email, replaceAllowed: true }),
      dataSource('billing'),
      role('r', { people: ['al'] }),
      permission('al', 'billing'),
    ];
    const { plan } = await workspace.apply(objects);
    assert.ok(plan.refusals.some(({ rail }) => rail === 'username-taken'));
    const [analysts] = await workspace.client.call('listRoles', {});
    const members = await workspace.client.call('listRolePeople', { params: { role: analysts!.id } });
    const granted = await workspace.client.call('listPermissions', {});
    assert.deepEqual(
      [members.map(({ id }) => id), granted.filter((one) => one.person.id === stranger.id)],
      [[ada!.id], []],
    );
    const exact = await workspace.apply(objects, { exact: ['people'] });
    assert.deepEqual([exact.plan.refusals, exact.result.failed], [[], []]);
    assert.deepEqual((await workspace.plan(objects, { exact: ['people'] })).steps, []);
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(
      people.map((one) => [one.username, one.email]),
      [['al', email]],
    );
  });

  it('whose new username is refused keeps what the definitions give under it, also from exact collections', async () => {
    const around = [dataSource('billing'), role('r', { dataSources: ['billing'] })];
    await workspace.apply([person('ada'), ...around, membership('r', 'ada'), permission('ada', 'billing')]);
    const [ada] = await workspace.client.call('listPeople', {});
    const renamed = person('al', { id: ada!.id, name: 'ada' });
    const given = [membership('r', 'al'), permission('al', 'billing')];
    const { refusals, steps } = await workspace.plan([renamed, ...around, ...given], {
      exact: ['memberships', 'permissions'],
    });
    assert.deepEqual([refusals.map(({ rail }) => rail), steps], [['replace-person'], []]);
  });

  it('takes over the e-mail address of someone who goes in the same plan, after they went', async () => {
    await workspace.apply([person('grace', { email: 'shared@example.com' })]);
    const heir = person('ada', { email: 'shared@example.com' });
    const { plan, result } = await workspace.apply([heir], { exact: ['people'] });
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    assert.deepEqual((await workspace.plan([heir], { exact: ['people'] })).steps, []);
  });

  it('swaps e-mail addresses with another who is replaced too', async () => {
    await workspace.apply([person('ada', { email: 'a@x.example' }), person('grace', { email: 'g@x.example' })]);
    const swapped = [
      person('ada', { email: 'g@x.example', replaceAllowed: true }),
      person('grace', { email: 'a@x.example', replaceAllowed: true }),
    ];
    const { plan, result } = await workspace.apply(swapped);
    assert.deepEqual([plan.refusals, result.failed, result.notRun], [[], [], []]);
    assert.deepEqual((await workspace.plan(swapped)).steps, []);
  });

  it('is not replaced where that ends what nothing declares, and what ends is named', async () => {
    const billing = dataSource('billing');
    const mine = snippet('Mine', { owner: { kind: 'Person', username: 'ada' } });
    await workspace.apply([
      person('ada'),
      billing,
      role('ops', { people: ['ada'] }),
      permission('ada', 'billing'),
      mine,
    ]);
    const changed = person('ada', { email: 'ada@king.example', replaceAllowed: true });
    const { refusals } = await workspace.plan([changed, billing]);
    assert.deepEqual(
      refusals.map(({ rail, override }) => [rail, override]),
      [['replace-person', 'replace-person:Person/ada']],
    );
    assert.match(refusals[0]!.message, /gives back the role ops, billing until 2096-01-01T00:00Z, the snippet Mine$/);
    // Each is declared in turn, or its list decides: nothing else is in the way.
    const declared = [changed, billing, permission('ada', 'billing'), mine];
    assert.deepEqual((await workspace.plan([...declared, membership('ops', 'ada')])).refusals, []);
    assert.deepEqual((await workspace.plan([...declared, role('ops', { people: [] })])).refusals, []);
    assert.match((await workspace.plan(declared)).refusals[0]!.message, /gives back the role ops$/);
  });

  it('who is replaced by override keeps nothing that is not declared', async () => {
    const mine = snippet('Mine', { owner: { kind: 'Person', username: 'ada' } });
    await workspace.apply([person('ada'), dataSource('billing'), permission('ada', 'billing'), mine]);
    const changed = person('ada', { email: 'ada@king.example', replaceAllowed: true });
    await workspace.apply([changed], { overrides: ['replace-person:Person/ada'] });
    const [left] = await workspace.client.call('listSnippets', {});
    assert.deepEqual([left!.ownerPerson, await workspace.client.call('listPermissions', {})], [null, []]);
  });

  it('is not replaced while a snippet of theirs could be taken for one of the same name', async () => {
    const mine = snippet('Top', { owner: { kind: 'Person', username: 'ada' } });
    await workspace.apply([person('ada'), mine]);
    const changed = person('ada', { email: 'ada@king.example', replaceAllowed: true });
    const { refusals } = await workspace.plan([changed, mine, snippet('Top', { name: 'ours' })]);
    assert.match(refusals[0]!.message, /gives back the snippet Top$/);
  });

  it('is not replaced while a permission that ended has no annotation that keeps its record', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const objects = [
      dataSource('billing'),
      permission('ada', 'billing', { startsAt: new Date(Date.parse(soon) - 7_200_000).toISOString(), expiresAt: soon }),
    ];
    await workspace.apply([person('ada'), ...objects]);
    const later = { now: new Date('2090-01-01') };
    const changed = person('ada', { email: 'ada@king.example', replaceAllowed: true });
    const refused = await workspace.plan([changed, ...objects], later);
    assert.match(refused.refusals[0]!.message, /its record goes with ada, who is deleted and created again/);
    const ended = objects.map((object) => (object.kind === 'Permission' ? { ...object, ended: true } : object));
    const { plan } = await workspace.apply([changed, ...ended], later);
    assert.match(plan.notes[0]!.message, /the record of 1 ended permission goes/);
    const again = await workspace.plan([changed, ...ended], later);
    assert.deepEqual([again.steps, again.refusals], [[], []]);
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
