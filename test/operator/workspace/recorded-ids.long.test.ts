import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { renumberPermission } from '../../support/new-store.ts';
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

  for (const tellsStore of [true, false]) {
    const kind = tellsStore ? 'tells its store' : 'does not tell its store';

    /** Leads the operator's Workspace to a store in which somebody else has the permission with the recorded number. */
    async function leadElsewhere(
      one: TestWorkspace,
      space: Namespace,
      lead: (other: TestWorkspace) => void | Promise<void>,
    ) {
      const other = await suite.startWorkspace();
      other.proxy.tellsStore = tellsStore;
      const { client } = other;
      const grace = await client.call('createPerson', {
        body: { username: 'grace', name: 'Grace', email: 'grace@example.com' },
      });
      const shop = await client.call('createDataSource', { body: { name: 'shop', alias: 'shop', configUri: uri } });
      const hers = await client.call('createPermission', {
        params: { person: grace.id, dataSource: shop.id },
        body: { duration: 3600 },
      });
      const number = String(await recorded(space, 'Permission'));
      assert.deepEqual(await idsIn(one, 'Permission'), [number]);
      renumberPermission(other.dataDir, hers.id, Number(number));
      await lead(other);
      return { other, number };
    }

    const grantsIn = async ({ client }: TestWorkspace) =>
      (await client.call('listPermissions', {})).map(
        ({ person: { username }, dataSource }) => `${username} ${dataSource.name}`,
      );

    async function startTelling(): Promise<{ one: TestWorkspace; space: Namespace }> {
      const one = await suite.startWorkspace();
      one.proxy.tellsStore = tellsStore;
      const space = await start(one);
      await isRecorded(space, one);
      return { one, space };
    }

    for (const where of ['at another address', 'at the same address'] as const) {
      it(`of another store ${where} is nothing here, where the service ${kind}`, async () => {
        const { one, space } = await startTelling();
        const { other, number } = await leadElsewhere(one, space, async (to) => {
          if (where === 'at another address') await moveTo(suite.all.kube, space, to);
          else one.proxy.target = to.proxy.url;
        });
        await until(async () => (await grantsIn(other)).includes('ada late'), 'the grant');
        await until(
          async () => ![number, undefined].includes((await recorded(space, 'Permission')) as string),
          'its id',
        );
        await space.reason('Permission', 'grant', 'Converged');
        await space.patch('Permission', 'grant', { spec: { expiresAt: '2098-01-01T00:00:00Z' } });
        await until(async () => {
          const all = await other.client.call('listPermissions', {});
          return all.length === 2 && all[1]?.expiresAt === '2098-01-01T00:00:00.000Z';
        }, 'the new window alone');
        assert.deepEqual(await grantsIn(other), ['grace shop', 'ada late']);
      });
    }

    it(`ends nothing for an object that was deleted while the operator was down, where the service ${kind}`, async () => {
      const { one, space } = await startTelling();
      await suite.running.shift()?.stop();
      const { other } = await leadElsewhere(one, space, (to) => {
        one.proxy.target = to.proxy.url;
      });
      await space.remove('Permission', 'grant');
      await suite.operate({ driftMs: 200 });
      await until(async () => (await space.get('Permission', 'grant')) === undefined, 'the object to go');
      assert.deepEqual(await grantsIn(other), ['grace shop']);
    });

    it(`is of the grant that ends when its object gives another person access, where the service ${kind}`, async () => {
      const { one, space } = await startTelling();
      await space.create('Person', 'bob', person('bob'));
      await space.reason('Person', 'bob', 'Converged');
      await space.patch('Permission', 'grant', { spec: { person: 'bob' } });
      await until(async () => (await grantsIn(one)).join() === 'bob late', 'bob alone to have it');
    });
  }

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
