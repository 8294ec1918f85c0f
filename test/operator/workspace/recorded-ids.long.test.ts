import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { moveTo } from '../support/move.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

describe('the id that a status records', () => {
  const suite = useInstallation();
  const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
  const made = { Person: 'ada', DataSource: 'late', Role: 'readers', Permission: 'grant', Snippet: 'top' };
  const lists = {
    Person: 'listPeople',
    DataSource: 'listDataSources',
    Role: 'listRoles',
    Permission: 'listPermissions',
    Snippet: 'listSnippets',
  } as const;
  type Kind = keyof typeof made;
  const kinds = Object.keys(made) as Kind[];

  const idsIn = async ({ client }: TestWorkspace, kind: Kind): Promise<string[]> =>
    (await client.call(lists[kind], {})).map(({ id }) => id);
  const recorded = async (space: Namespace, kind: Kind) => (await space.get(kind, made[kind]))?.status?.['id'];

  async function start(workspace: TestWorkspace): Promise<Namespace> {
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ driftMs: 200 });
    await space.create('Person', 'ada', person('ada'));
    await space.create('DataSource', 'late', { uri });
    await space.create('Role', 'readers', { people: ['ada'] });
    await space.create('Permission', 'grant', { person: 'ada', dataSource: 'late', expiresAt: '2099-01-01T00:00:00Z' });
    await space.create('Snippet', 'top', { text: 'select 1', owner: { role: 'readers' } });
    return space;
  }

  async function isRecorded(space: Namespace, workspace: TestWorkspace): Promise<void> {
    for (const kind of kinds) {
      await until(async () => {
        const [id, ...others] = await idsIn(workspace, kind);
        return id !== undefined && others.length === 0 && (await recorded(space, kind)) === id;
      }, `the id of ${kind}/${made[kind]}`);
      await space.reason(kind, made[kind], 'Converged');
    }
  }

  it('is that of the workspace which it is in now, so that a rename there leaves nothing behind', async () => {
    const [one, other] = [await suite.startWorkspace(), await suite.startWorkspace()];
    const space = await start(one);
    await isRecorded(space, one);
    await moveTo(suite.all.kube, space, other);
    await isRecorded(space, other);
    await moveTo(suite.all.kube, space, one);
    await isRecorded(space, one);
    await space.patch('DataSource', 'late', { spec: { alias: 'renamed' } });
    await space.patch('Role', 'readers', { spec: { name: 'Readers' } });
    await space.reason('DataSource', 'late', 'Converged');
    await space.reason('Role', 'readers', 'Converged');
    for (const kind of kinds) assert.equal((await idsIn(one, kind)).length, 1, kind);
  });

  it('of another workspace is nothing here, though someone else has something by it', async () => {
    const [one, other] = [await suite.startWorkspace(), await suite.startWorkspace()];
    const space = await start(one);
    await isRecorded(space, one);
    const { client } = other;
    const grace = await client.call('createPerson', {
      body: { username: 'grace', name: 'Grace', email: 'grace@example.com' },
    });
    const shop = await client.call('createDataSource', { body: { name: 'shop', alias: 'shop', configUri: uri } });
    const hers = await client.call('createPermission', {
      params: { person: grace.id, dataSource: shop.id },
      body: { duration: 3600 },
    });
    assert.equal(hers.id, await recorded(space, 'Permission'), 'permissions are numbered in each workspace');
    await moveTo(suite.all.kube, space, other);
    await until(async () => (await idsIn(other, 'Permission')).includes('2'), 'the grant');
    await space.reason('Permission', 'grant', 'Converged');
    await until(async () => (await recorded(space, 'Permission')) === '2', 'its id');
    assert.deepEqual(await idsIn(other, 'Permission'), ['1', '2']);
  });

  it('is the new one of what someone deleted and made again by hand, and is written once', async () => {
    const workspace = await suite.startWorkspace();
    const space = await start(workspace);
    await isRecorded(space, workspace);
    const [old] = await idsIn(workspace, 'DataSource');
    await workspace.client.call('deleteDataSource', { params: { dataSource: old! } });
    const body = { name: 'late', alias: 'late', configUri: uri };
    // The operator may have been faster: then it is there already, with an id of its own.
    await workspace.client.call('createDataSource', { body }).catch(() => undefined);
    await until(async () => ![old, undefined].includes((await recorded(space, 'DataSource')) as string), 'another id');
    await isRecorded(space, workspace);
    const versionsOf = () => Promise.all(kinds.map(async (kind) => (await space.get(kind, made[kind]))?.metadata));
    const before = await versionsOf();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.deepEqual(await versionsOf(), before);
  });
});
