import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeReadings, person, role, snippet } from '../support.ts';

describeReadings('Snippet', (workspace) => {
  it('is created for its owner, and needs nothing afterwards', async () => {
    const objects = [
      person('ada'),
      role('analysts'),
      snippet('Mine', { owner: { kind: 'Person', username: 'ada' }, locked: true }),
      snippet('Ours', { owner: { kind: 'Role', role: 'analysts' } }),
    ];
    const { result } = await workspace.apply(objects);
    assert.deepEqual(result.failed, []);
    assert.deepEqual((await workspace.plan(objects)).steps, []);
  });

  it('gets new text as a new version that is then activated', async () => {
    await workspace.apply([snippet('Top')]);
    const { plan } = await workspace.apply([snippet('Top', { text: 'select 2' })]);
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['createSnippetVersion', 'activateSnippetVersion'],
    );
    assert.deepEqual((await workspace.plan([snippet('Top', { text: 'select 2' })])).steps, []);
  });

  it('makes no version of other line ends, which Git changes by its settings', async () => {
    const [windows, unix] = ['select 1\r\nfrom t\r\n', 'select 1\nfrom t\n'];
    for (const [made, text] of [
      [windows, unix],
      [unix, windows],
    ] as const) {
      await workspace.apply([snippet('Top', { text: made })]);
      assert.deepEqual((await workspace.plan([snippet('Top', { text })])).steps, []);
      const named = (await workspace.plan([snippet('Top', { text, description: 'New' })])).steps[0];
      assert.deepEqual(
        named?.changes?.map(({ field }) => field),
        ['description'],
      );
      await workspace.apply([snippet('Top', { text: 'select 2' })]);
      const { steps } = await workspace.plan([snippet('Top', { text })]);
      assert.deepEqual(
        steps.map(({ operation }) => operation),
        ['activateSnippetVersion'],
      );
    }
  });

  it('only activates text that an older version has', async () => {
    await workspace.apply([snippet('Top')]);
    await workspace.apply([snippet('Top', { text: 'select 2' })]);
    const { plan } = await workspace.apply([snippet('Top')]);
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['activateSnippetVersion'],
    );
    const [found] = await workspace.client.call('listSnippets', {});
    assert.equal(found?.activeVersion.text, 'select 1');
    const versions = await workspace.client.call('listSnippetVersions', { params: { snippet: found.id } });
    assert.equal(versions.length, 2);
  });

  it('changes access and lock without a version', async () => {
    await workspace.apply([snippet('Top')]);
    const changed = snippet('Top', { publicAccessLevel: 'manage', locked: true });
    const { plan } = await workspace.apply([changed]);
    assert.deepEqual(plan.steps.map(({ operation }) => operation).sort(), ['lockSnippet', 'updateSnippet']);
    assert.deepEqual((await workspace.plan([changed])).steps, []);
  });

  it('is refused where one is left without an owner that could not be told from it, however the name is spelt', async () => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    const adas = snippet(composed, { name: 'adas', owner: { kind: 'Person', username: 'ada' } });
    await workspace.apply([person('ada'), snippet(composed), adas]);
    const more = { exact: ['people'], rails: { maxRemovalPercent: 100, minimumRemoval: 1 } } as const;
    for (const name of [composed, decomposed]) {
      const { refusals } = await workspace.plan([snippet(name)], more);
      assert.deepEqual(
        refusals.map(({ rail }) => rail),
        ['ambiguous'],
        name,
      );
      assert.match(refusals[0]?.message ?? '', /without an owner, where it could not be told from Snippet/);
    }
  });

  it('counts its name within its owner', async () => {
    const objects = [
      person('ada'),
      snippet('Top'),
      snippet('Top', { name: 'adas', owner: { kind: 'Person', username: 'ada' } }),
    ];
    await workspace.apply(objects);
    assert.equal((await workspace.client.call('listSnippets', {})).length, 2);
    assert.deepEqual((await workspace.plan(objects)).steps, []);
  });

  it('that is there twice is refused with both named', async () => {
    const body = {
      name: 'Top',
      description: '',
      text: 'select 1',
      isLocked: false,
      publicAccessLevel: 'none',
      owner: 'none',
    } as const;
    for (let times = 0; times < 2; times += 1) await workspace.client.call('createSnippet', { body });
    const plan = await workspace.plan([snippet('Top')]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['ambiguous'],
    );
  });

  it('of an owner who goes is taken over by its new owner, not copied', async () => {
    const adas = snippet('Top', { owner: { kind: 'Person', username: 'ada' } });
    await workspace.apply([person('ada'), adas]);
    const { steps } = await workspace.plan([snippet('Top')], { exact: ['people'] });
    assert.deepEqual(steps.find(({ operation }) => operation === 'updateSnippet')?.changes, [
      { field: 'owner', from: 'person ada', to: 'no one' },
    ]);
    for (const after of [
      [snippet('Top')],
      [role('analysts'), snippet('Top', { owner: { kind: 'Role', role: 'analysts' } })],
    ]) {
      const { result } = await workspace.apply(after, { exact: ['people'] });
      assert.deepEqual(result.failed, []);
      assert.equal((await workspace.client.call('listSnippets', {})).length, 1);
      const again = await workspace.plan(after, { exact: ['people'] });
      assert.deepEqual([again.steps, again.refusals], [[], []]);
    }
  });

  it('goes only once the new one of its name stands, or an interrupted run would have it taken over', async () => {
    const owned = (username: string) => snippet('Top', { name: username, owner: { kind: 'Person', username } });
    await workspace.apply([person('ada'), person('grace'), owned('ada'), owned('grace'), snippet('Other')]);
    const { steps } = await workspace.plan([person('linus'), owned('linus')], { exact: ['people', 'snippets'] });
    const waits = steps.filter(({ operation }) => operation === 'deleteSnippet').map(({ after }) => after);
    const copy = steps.find(({ operation }) => operation === 'createSnippet')?.id;
    assert.deepEqual(waits.sort(), [[], [copy], [copy]]);
  });

  it('with an owner does not take over the one that another definition renames away', async () => {
    await workspace.apply([person('ada'), snippet('Top', { name: 'first' })]);
    const [top] = await workspace.client.call('listSnippets', {});
    const owner = { kind: 'Person', username: 'ada' } as const;
    await workspace.apply([
      person('ada'),
      { ...snippet('Other', { name: 'first' }), id: top!.id },
      snippet('Top', { name: 'second', owner }),
    ]);
    const after = await workspace.client.call('listSnippets', {});
    assert.deepEqual(after.map(({ ownerPerson, activeVersion: { name } }) => [name, ownerPerson?.username]).sort(), [
      ['Other', undefined],
      ['Top', 'ada'],
    ]);
  });

  it('that its role would leave without an owner beside a declared one is refused', async () => {
    await workspace.apply([
      role('analysts'),
      snippet('Top', { owner: { kind: 'Role', role: 'analysts' } }),
      snippet('Top', { name: 'ownerless' }),
    ]);
    const plan = await workspace.plan([snippet('Top', { name: 'ownerless' })], { exact: ['roles'] });
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['ambiguous'],
    );
    assert.match(plan.notes[0]!.message, /leaves without an owner 1 snippet \(Top\)/);
  });
});
