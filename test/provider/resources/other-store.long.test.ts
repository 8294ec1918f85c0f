import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWorkspace, type TestWorkspace } from '../../cli/support/workspace.ts';
import { requires } from '../../support/databases/parts.ts';
import { renumberPermission } from '../../support/new-store.ts';
import { useTerraform } from '../support/terraform.ts';

const configuration = `
resource "rolecall_person" "p" {
  username = "multi"
  name     = "Multi"
  email    = "multi@example.com"
}
resource "rolecall_data_source" "d" {
  alias = "shop"
  name  = "shop"
  uri   = "postgresql://r@db.internal:5432/shop?sslmode=verify-full"
}
resource "rolecall_role" "r" {
  name = "shoppers"
}
resource "rolecall_role_person" "m" {
  role_id   = rolecall_role.r.id
  person_id = rolecall_person.p.id
}
resource "rolecall_permission" "x" {
  person_id      = rolecall_person.p.id
  data_source_id = rolecall_data_source.d.id
  expires_at     = "2029-06-01T00:00:00Z"
}
`;

/** Grants somebody else something, as the first permission of a store that counts them. */
async function grantStranger({ client, dataDir }: TestWorkspace): Promise<void> {
  const victor = await client.call('createPerson', {
    body: { username: 'victor', name: 'Victor', email: 'victor@example.com' },
  });
  const payroll = await client.call('createDataSource', {
    body: { name: 'payroll', alias: 'payroll', configUri: 'postgresql://r@db.internal:5432/payroll' },
  });
  const { id } = await client.call('createPermission', {
    params: { person: victor.id, dataSource: payroll.id },
    body: { duration: 63_072_000 },
  });
  renumberPermission(dataDir, id, 1);
}

const grantsOf = async ({ client }: TestWorkspace): Promise<string[]> =>
  (await client.call('listPermissions', {})).map(({ person, dataSource }) => `${person.username} ${dataSource.alias}`);

for (const tellsStore of [true, false]) {
  const kind = tellsStore ? 'a service that tells its store' : 'a service of the specification';
  describe(`a state of another store, with ${kind}`, requires('terraform'), () => {
    const terraform = useTerraform();
    let other: TestWorkspace;
    let first: string;

    /** Applies everything to an empty store, and then has the same address lead to another one. */
    async function moveState(): Promise<void> {
      const { proxy } = terraform.workspace;
      proxy.target = first;
      proxy.tellsStore = tellsStore;
      await terraform.converge(configuration);
      const [own] = await terraform.call('listPermissions', {});
      if (own!.id !== '1') {
        renumberPermission(terraform.workspace.dataDir, own!.id, 1);
        await terraform.must(['state', 'rm', 'rolecall_permission.x']);
        await terraform.must(['import', 'rolecall_permission.x', '1']);
        await terraform.apply();
      }
      assert.equal((await terraform.stateOf('rolecall_permission.x'))['id'], '1');
      proxy.target = other.url;
    }

    before(async () => {
      first = terraform.workspace.url;
      other = await startWorkspace();
      await grantStranger(other);
    });
    after(() => other[Symbol.asyncDispose]());

    it('destroys nothing there, with and without a refresh', async () => {
      for (const refresh of [[], ['-refresh=false']]) {
        await moveState();
        const said = await terraform.must(['destroy', '-auto-approve', ...refresh]);
        assert.doesNotMatch(said, /victor/);
        assert.deepEqual(await grantsOf(other), ['victor payroll']);
        assert.deepEqual(await grantsOf(terraform.workspace), ['multi shop']);
      }
    });

    it('revokes nothing there without a refresh, where the window changes', async () => {
      await moveState();
      terraform.configure(configuration.replace('2029', '2030'));
      await terraform.run(['apply', '-auto-approve', '-refresh=false']);
      assert.ok((await grantsOf(other)).includes('victor payroll'));
    });

    it('makes everything anew there, leaves others alone, and says which workspace the state belongs to', async () => {
      await moveState();
      const said = (await terraform.must(['plan', '-no-color'])).replaceAll(/[\s│]+/g, ' ');
      assert.match(said, /Plan: 5 to add, 0 to change, 0 to destroy/);
      const stores = [terraform.workspace, other].map(async ({ client }) => {
        await client.call('listRoles', {});
        return client.store();
      });
      const [ofState, here] = await Promise.all(stores);
      const told = said.match(/The state belongs to another workspace/g) ?? [];
      assert.equal(told.length, tellsStore ? 1 : 0);
      if (tellsStore) assert.ok(said.includes(`(store ${ofState})`) && said.includes(`(${here})`), said);
      await terraform.apply();
      assert.deepEqual(await grantsOf(other), ['victor payroll', 'multi shop']);
      await terraform.assertNoChanges();
      assert.doesNotMatch(await terraform.must(['plan']), /another workspace/);
      await terraform.apply('-destroy');
      assert.deepEqual(await grantsOf(other), ['victor payroll']);
    });
  });
}

describe('a state whose provider gets another url', requires('terraform'), () => {
  const terraform = useTerraform();

  it('says where its objects are', async () => {
    await using other = await startWorkspace();
    await terraform.converge(configuration);
    terraform.configure(`provider "rolecall" {\n  url = "${other.url}"\n}\n${configuration}`);
    const said = (await terraform.must(['plan', '-no-color'])).replaceAll(/[\s│]+/g, ' ');
    assert.match(
      said,
      /objects of the workspace at http:\S+ \(store \S+\), and the provider's url, http:\S+, leads to/,
    );
    assert.ok(said.includes(terraform.workspace.proxy.url) && said.includes(other.url), said);
  });
});
