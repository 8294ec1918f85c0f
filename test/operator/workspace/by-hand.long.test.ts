import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

describe('what someone does in the workspace by hand', () => {
  const suite = useInstallation();
  const driftMs = 300;

  async function start(spec: Record<string, unknown> = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace(spec, workspace);
    await suite.operate({ driftMs });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    return { workspace, space, ada: await idOf(workspace) };
  }

  const idOf = async ({ client }: TestWorkspace) => (await client.call('listPeople', {}))[0]?.id ?? '';
  /** More than one check for drift: the first takes over what it need not read. */
  const looks = () => sleep(6 * driftMs);
  const isAnother = (workspace: TestWorkspace, than: string) =>
    until(async () => ![than, ''].includes(await idOf(workspace)), 'another person');

  const snippet = { description: '', text: 'select 1', isLocked: false, publicAccessLevel: 'none' } as const;
  const ownerless = { owner: 'none', ownerPersonId: null, ownerRoleId: null } as const;

  async function removed(space: Namespace, workspace: TestWorkspace): Promise<void> {
    await until(async () => (await workspace.client.call('listSnippets', {})).length === 0, 'the removal');
    await space.reason('Workspace', 'workspace', 'Converged');
  }

  it('is taken over where it is a snippet that is declared later', async () => {
    const { workspace, space } = await start();
    await looks();
    await workspace.client.call('createSnippet', { body: { ...snippet, ...ownerless, name: 'daily' } });
    await looks();
    await space.create('Snippet', 'daily', { text: 'select 2' });
    await space.reason('Snippet', 'daily', 'Converged');
    assert.equal((await workspace.client.call('listSnippets', {})).length, 1);
  });

  it('is removed where snippets are exact, though no one declares any', async () => {
    const { workspace, space } = await start({ exact: ['snippets'], rails: { maxRemovalPercent: 100 } });
    for (const name of ['one', 'other']) {
      await looks();
      await workspace.client.call('createSnippet', { body: { ...snippet, ...ownerless, name } });
      await removed(space, workspace);
    }
  });

  it('is no reason to refuse for good what a person who was deleted is to own', async () => {
    const { workspace, space, ada } = await start();
    await workspace.client.call('lockPerson', { params: { person: ada } });
    await workspace.client.call('deletePerson', { params: { person: ada } });
    await space.create('Snippet', 'hers', { text: 'select 1', owner: { person: 'ada' } });
    await isAnother(workspace, ada);
    await space.reason('Snippet', 'hers', 'Converged');
  });

  it('is removed where people are exact, while one that was deleted is held by a finalizer of somebody else', async () => {
    const { workspace, space } = await start({ exact: ['people'], rails: { maxRemovalPercent: 100 } });
    await space.create('Person', 'held', person('held'));
    await space.reason('Person', 'held', 'Converged');
    const finalizers = ['rolecall.dev/workspace', 'example.com/other'];
    await space.patch('Person', 'held', { metadata: { finalizers } });
    await space.remove('Person', 'held');
    const people = async () => (await workspace.client.call('listPeople', {})).length;
    await until(async () => (await people()) === 1, 'the removal');
    await workspace.client.call('createPerson', { body: person('stranger') });
    await until(async () => (await people()) === 1, 'the removal of the stranger');
    await space.patch('Person', 'held', { metadata: { finalizers: null } });
    await space.gone('Person', 'held');
  });
});
