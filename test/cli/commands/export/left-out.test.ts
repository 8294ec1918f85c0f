import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createView } from '@rolecall/reconcile';
import { readSnapshot } from '../../../../cli/commands/export/snapshot.ts';
import { assertNothingToDo, openWorkspace } from './round-trip.ts';

describe('what an export cannot declare', () => {
  it('is left out with its reason, and stays as it is', async () => {
    await using workspace = await openWorkspace();
    const { client } = workspace;
    const person = (username: string) =>
      client.call('createPerson', { body: { username, name: 'Somebody', email: `${username.trim()}@x.example` } });
    const [ada, eve] = [await person('ada'), await person('eve ')];
    const source = (alias: string | null) =>
      client.call('createDataSource', { body: { alias, name: 'Stock', configUri: 'sqlite:///srv/stock.db' } });
    const [stock, nameless] = [await source('stock'), await source(null)];
    const role = await client.call('createRole', { body: { name: 'analysts' } });
    for (const { id } of [ada, eve]) await client.call('addRolePerson', { params: { role: role.id, person: id } });
    for (const { id } of [stock, nameless]) {
      await client.call('addRoleDataSource', { params: { role: role.id, dataSource: id } });
    }
    for (const { id } of [ada, eve]) {
      const params = { person: id, dataSource: id === ada.id ? nameless.id : stock.id };
      await client.call('createPermission', { params, body: { duration: 3600 } });
    }
    const text = { description: '', isLocked: false, publicAccessLevel: 'none' as const, owner: 'none' as const };
    for (const query of ['select 1', 'select 2']) {
      await client.call('createSnippet', { body: { name: 'Twice', text: query, ...text } });
    }

    const { leftOut, files } = await assertNothingToDo(client);
    assert.deepEqual(
      leftOut.map(({ what, reason }) => `${what}: ${reason}`),
      [
        'DataSource "Stock": it has no alias, by which definitions find a data source',
        'Person "eve ": definitions cannot say it: spec.username ends with white space',
        '1 Permission of DataSource "Stock": that data source is left out',
        '1 Permission of Person "eve ": that person is left out',
        'Snippet "Twice" and Snippet "Twice": definitions cannot tell them apart: they have one name and one owner',
      ],
    );
    const roleFile = files.get('roles/analysts.yaml') ?? '';
    assert.doesNotMatch(roleFile, /people:|dataSources:/, 'a list would take out who is left out');
    assert.match(roleFile, /kind: RoleMembership\nmetadata:\n {2}name: ada-analysts\n/);
  });

  it('is nothing at all where the workspace changed while it was read', async () => {
    await using workspace = await openWorkspace();
    const { client } = workspace;
    const ada = await client.call('createPerson', { body: { username: 'ada', name: 'Ada', email: 'ada@x.example' } });
    const role = await client.call('createRole', { body: { name: 'analysts' } });
    await client.call('addRolePerson', { params: { role: role.id, person: ada.id } });
    // As if she had come after the list of people was read.
    const view = { ...createView(client), people: async () => ({ ...(await createView(client).people()), all: [] }) };
    await assert.rejects(readSnapshot(view), { code: 'ERR_WORKSPACE_CHANGED' });
    await readSnapshot(createView(client));
  });
});
