import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DesiredObject } from '@rolecall/reconcile';
import { converge } from '@rolecall/reconcile';
import {
  dataSource,
  type More,
  membership,
  optionsOf,
  permission,
  person,
  role,
  snippet,
  useWorkspace,
} from '../support.ts';

const newAda = person('ada', { email: 'ada@king.example', replaceAllowed: true });
const before = [
  person('ada'),
  dataSource('billing'),
  role('analysts', { people: ['ada'] }),
  permission('ada', 'billing'),
];

describe('the journal of a replacement', () => {
  const workspace = useWorkspace();

  /** Runs the first calls of a plan, and no more: as when the run is killed then. */
  async function runFirst(count: number, objects: readonly DesiredObject[], more: More = {}): Promise<void> {
    const plan = await workspace.plan(objects, more);
    const steps = plan.steps.slice(0, count);
    const known = new Set(steps.map(({ id }) => id));
    const cut = steps.map((step) => ({ ...step, after: step.after.filter((id) => known.has(id)) }));
    const result = await converge({ ...plan, steps: cut }, workspace.client, { ...optionsOf(more), concurrency: 1 });
    assert.deepEqual(result.failed, []);
  }
  const names = async (): Promise<string[]> =>
    (await workspace.client.call('listSnippets', {})).map(({ activeVersion }) => activeVersion.name);

  it('is written before the person is touched, and deleted last', async () => {
    await workspace.apply(before);
    const { steps } = await workspace.plan([newAda]);
    const operations = steps.map(({ operation }) => operation);
    assert.deepEqual([operations[0], operations.at(-1)], ['createSnippet', 'deleteSnippet']);
    assert.deepEqual(steps.at(-1)!.after.length, steps.length - 3);
  });

  it('has a clear name, is locked and nobody’s, and holds no secret', async () => {
    await workspace.apply(before);
    await runFirst(3, [newAda]);
    const [journal] = await workspace.client.call('listSnippets', {});
    assert.equal(journal!.activeVersion.name, 'Rolecall is replacing ada: do not delete');
    assert.deepEqual(
      [journal!.isLocked, journal!.publicAccessLevel, journal!.ownerPerson, journal!.ownerRole],
      [true, 'none', null, null],
    );
    assert.ok(journal!.activeVersion.text.split('\n').every((line) => line.startsWith('-- ')));
    assert.doesNotMatch(journal!.activeVersion.text, /postgresql:|@example\.com/);
  });

  it('is neither removed nor counted where snippets are exact', async () => {
    const snippets = Array.from({ length: 9 }, (_, index) => snippet(`Top ${index}`));
    await workspace.apply([...before, ...snippets]);
    await runFirst(3, [newAda]);
    assert.equal((await names()).length, 10);
    // Three of ten would be refused, and three of nine are too few to be held to a share.
    const plan = await workspace.plan(snippets.slice(3), { exact: ['snippets'] });
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual(plan.steps.length, 3);
    assert.ok(plan.steps.every(({ object }) => object.name.startsWith('Top')));
  });

  it('waits for a run that declares the person, and says so', async () => {
    await workspace.apply(before);
    await runFirst(3, [newAda]);
    const plan = await workspace.plan([person('grace')]);
    assert.deepEqual(
      plan.notes.map(({ object }) => object),
      ['Person/ada'],
    );
    assert.match(plan.notes[0]!.message, /interrupted, and waits for a run that declares them/);
    assert.ok(!plan.steps.some(({ operation }) => operation === 'deleteSnippet'));
  });

  it('is forgotten where people are exact and nobody declares the person any more', async () => {
    await workspace.apply(before);
    await runFirst(3, [newAda]);
    await workspace.apply([], { exact: ['people'] });
    assert.deepEqual(await names(), []);
  });

  it('puts nobody back into a role whose members are exact by now, unless they are declared', async () => {
    const exact = ['memberships'] as const;
    for (const declared of [[role('analysts')], [membership('analysts', 'grace')]]) {
      await workspace.apply([...before, person('grace')]);
      await runFirst(3, [newAda]);
      await workspace.apply([newAda, ...declared], { exact });
      const again = await workspace.plan([newAda, ...declared], { exact });
      assert.deepEqual(again.steps, []);
      const { result } = await workspace.apply([...before, person('ada', { replaceAllowed: true })].slice(1));
      assert.deepEqual(result.failed, []);
    }
  });

  it('is forgotten where the person was not replaced after all', async () => {
    await workspace.apply(before);
    await runFirst(2, [newAda]);
    const { plan } = await workspace.apply([person('ada')]);
    assert.deepEqual(plan.steps.map(({ operation }) => operation).sort(), ['deleteSnippet', 'unlockPerson']);
    assert.deepEqual(await names(), []);
  });

  it('grants nothing when a person wrote it', async () => {
    await workspace.apply(before);
    await runFirst(3, [newAda]);
    const [journal] = await workspace.client.call('listSnippets', {});
    const mallory = await workspace.client.call('createPerson', {
      body: { name: 'Mallory', email: 'm@example.com', username: 'mallory' },
    });
    const { name, description, text } = journal!.activeVersion;
    await workspace.client.call('createSnippet', {
      body: {
        name,
        description,
        text: text.replaceAll('"becomes":"ada"', '"becomes":"mallory"'),
        createdByPersonId: mallory.id,
        isLocked: true,
        publicAccessLevel: 'none',
        owner: 'none',
      },
    });
    await workspace.client.call('deleteSnippet', { params: { snippet: journal!.id } });
    const plan = await workspace.plan([person('mallory', { fullName: 'Mallory', email: 'm@example.com' })]);
    assert.deepEqual(plan.steps, []);
    assert.match(plan.notes[0]!.message, /a person made it: it is left alone/);
  });

  it('keeps no snippet from being taken over when a person wrote it', async () => {
    const body = {
      name: 'Top',
      description: '',
      text: 'select 1',
      isLocked: false,
      publicAccessLevel: 'none',
    } as const;
    const top = await workspace.client.call('createSnippet', { body: { ...body, owner: 'none' } });
    const mallory = await workspace.client.call('createPerson', {
      body: { name: 'Mallory', email: 'm@example.com', username: 'mallory' },
    });
    const forged = {
      version: 1,
      person: { id: mallory.id.replace(/.$/, '~'), username: 'eve' },
      becomes: 'mallory',
      roles: [],
      permissions: [],
      snippets: [{ id: top.id, name: 'Top', publicAccessLevel: 'none' }],
    };
    await workspace.client.call('createSnippet', {
      body: {
        ...body,
        text: `-- rolecall-journal: ${JSON.stringify(forged)}`,
        createdByPersonId: mallory.id,
        isLocked: true,
        owner: 'none',
      },
    });
    const graces = snippet('Top', { owner: { kind: 'Person', username: 'grace' } });
    const { steps } = await workspace.plan([person('grace'), graces]);
    assert.deepEqual(
      steps.map(({ operation }) => operation),
      ['createPerson', 'updateSnippet'],
    );
  });

  it('holds hundreds of grants, in as many snippets as it takes', async () => {
    const windows = Array.from({ length: 310 }, (_, index) =>
      permission('ada', 'billing', {
        name: `p${index}`,
        expiresAt: new Date(Date.UTC(2090, 0, 1) + index * 1000).toISOString(),
      }),
    );
    await workspace.apply([...before.slice(0, 2), ...windows]);
    await runFirst(4, [newAda]);
    assert.equal((await names()).length, 2);
    const { result } = await workspace.apply([newAda]);
    assert.deepEqual(result.failed, []);
    assert.deepEqual([(await workspace.client.call('listPermissions', {})).length, await names()], [310, []]);
  });
});
