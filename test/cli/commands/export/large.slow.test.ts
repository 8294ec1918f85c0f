import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@rolecall/api';
import { assertNothingToDo, contentOf, openWorkspace, password, planOf } from './round-trip.ts';

const sizes = { people: 3000, dataSources: 50, roles: 150, permissions: 1500, snippets: 300 };

describe('an exported workspace of 5,000 objects', () => {
  it('makes an empty plan, and an equivalent one of an empty workspace', async () => {
    await using workspace = await openWorkspace();
    await fill(workspace.client);
    const exported = await assertNothingToDo(workspace.client);
    const declared = [...exported.counts.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(declared, 5000 + 1);
    await using second = await openWorkspace();
    const { plan, apply } = await planOf(exported, second.client);
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual((await apply()).failed, []);
    const now = new Date();
    const { access, ...content } = await contentOf(second.client, now);
    const { access: expected, ...original } = await contentOf(workspace.client, now);
    assert.deepEqual(content, original);
    assert.deepEqual(access, expected);
  });
});

async function fill(client: Client): Promise<void> {
  const many = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  const people = await many(sizes.people, (index) =>
    client.call('createPerson', {
      body: { username: `Person ${index}`, name: `Person № ${index}`, email: `person-${index}@example.com` },
    }),
  );
  const dataSources = await many(sizes.dataSources, (index) => {
    const configUri = `postgresql://reader:${encodeURIComponent(password)}@db-${index}.internal/main`;
    return client.call('createDataSource', { body: { alias: `source-${index}`, name: `Source ${index}`, configUri } });
  });
  const roles = await many(sizes.roles, (index) => client.call('createRole', { body: { name: `Role ${index}` } }));
  const at = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;
  await many(sizes.people * 2, (index) =>
    client.call('addRolePerson', {
      params: { role: at(roles, index * 7).id, person: at(people, Math.floor(index / 2)).id },
    }),
  );
  await many(sizes.roles * 2, (index) =>
    client.call('addRoleDataSource', {
      params: { role: at(roles, index).id, dataSource: at(dataSources, index * 3).id },
    }),
  );
  await many(sizes.permissions, (index) =>
    client.call('createPermission', {
      params: { person: at(people, index).id, dataSource: at(dataSources, index).id },
      // Few different moments, as access is compared at each.
      body: { startsAt: index % 3 === 0 ? '2026-01-01T00:00:00Z' : '2090-01-01T00:00:00Z', duration: 86_400 * 7 },
    }),
  );
  await many(sizes.snippets, (index) =>
    client.call('createSnippet', {
      body: {
        name: `Snippet ${index % 100}`,
        description: '',
        text: `select ${index}\nfrom main;\n`,
        isLocked: false,
        publicAccessLevel: 'none',
        owner: 'role',
        ownerRoleId: at(roles, index).id,
      },
    }),
  );
}
