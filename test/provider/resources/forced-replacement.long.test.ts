import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { problemBody } from '@rolecall/api';
import { requires } from '../../support/databases/parts.ts';
import { people } from '../support/people.ts';
import { useTerraform } from '../support/terraform.ts';

const ada = (more: string, username = 'ada') => `resource "rolecall_person" "it" {
  username = "${username}"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
  ${more}
}
`;
const role = (more: string) => `resource "rolecall_role" "it" {
  name = "analysts"
  ${more}
}
`;
const source = (more: string) => `resource "rolecall_data_source" "it" {
  name  = "Billing"
  alias = "billing"
  uri   = "postgresql://reporting@db.internal:5432/billing"
  ${more}
}
`;
const declared = 'password_wo = "s3cret"\n  password_wo_version = 1';

const kinds: readonly { address: string; hcl: (more: string) => string; says: RegExp; falls: RegExp }[] = [
  {
    address: 'rolecall_person.it',
    hcl: (more) => ada(more),
    says: /The person ada is protected/,
    falls: /Replaces the person ada .*With that fall their memberships, permissions/,
  },
  {
    address: 'rolecall_role.it',
    hcl: role,
    says: /The role analysts is protected/,
    falls: /Replaces the role analysts .*The role loses 1 person and 1 data source, and/,
  },
  {
    address: 'rolecall_data_source.it',
    hcl: source,
    says: /The data source billing is protected/,
    falls: /Replaces the data source billing .*the permissions of guest until/,
  },
];

/** What replaces an object that no one changed. */
const ways = ['terraform taint', '-replace', 'replace_triggered_by'] as const;
const triggered = 'lifecycle { replace_triggered_by = [terraform_data.trigger] }';
const trigger = 'resource "terraform_data" "trigger" {\n  input = "1"\n}\n';

describe('what Terraform is told to replace', requires('terraform'), () => {
  const terraform = useTerraform();
  const client = () => terraform.workspace.client;
  const everybody = () => client().call('listPeople', {});
  const ids = async () =>
    (await Promise.all([everybody(), client().call('listRoles', {}), client().call('listDataSources', {})])).flatMap(
      (all) => all.map(({ id }) => id),
    );
  /** Has an object replaced; gives what the command takes for it. */
  const go = async (how: (typeof ways)[number], address: string, hcl: string): Promise<readonly string[]> => {
    if (how === '-replace') return [`-replace=${address}`];
    if (how === 'terraform taint') await terraform.must(['taint', address]);
    else terraform.configure(hcl.replace('input = "1"', 'input = "2"'));
    return [];
  };
  const refuses = (args: readonly string[], ...messages: RegExp[]) =>
    terraform.refuses(['apply', '-auto-approve', ...args], ...messages);
  beforeEach(async () => {
    terraform.workspace.proxy.intercept = () => Promise.resolve(undefined);
    await terraform.converge('');
    for (const { id } of await client().call('listRoles', {}))
      await client().call('deleteRole', { params: { role: id } });
  });

  for (const how of ways) {
    it(`stays while it is protected, and goes once that was set to false and applied: ${how}`, async () => {
      for (const { address, hcl, says } of kinds) {
        const kept = trigger + hcl(`protected = true\n  ${triggered}`);
        await terraform.converge(kept);
        const before = await ids();
        await refuses(await go(how, address, kept), says, /terraform untaint with the address above/);
        assert.deepEqual(await ids(), before, address);
        if (how === 'terraform taint') await terraform.must(['untaint', address]);
        const free = trigger + hcl(`protected = false\n  ${triggered}`);
        await terraform.converge(free);
        assert.deepEqual(await ids(), before, address);
        await terraform.apply(...(await go(how, address, free)));
        assert.notDeepEqual(await ids(), before, address);
        await terraform.converge('');
      }
    });

    it(`stays where a data source would lose a password that nothing declares: ${how}`, async () => {
      const { id } = await client().call('createDataSource', {
        body: {
          name: 'Billing',
          alias: 'billing',
          configUri: 'postgresql://reporting:s3cret@db.internal:5432/billing',
        },
      });
      const bare = trigger + source(triggered);
      await terraform.converge(bare);
      const args = await go(how, 'rolecall_data_source.it', bare);
      await refuses(args, /The password would be lost.*terraform untaint/);
      assert.deepEqual(await ids(), [id]);
      if (how === 'terraform taint') await terraform.must(['untaint', 'rolecall_data_source.it']);
      const full = trigger + source(`${declared}\n  ${triggered}`);
      await terraform.converge(full);
      await terraform.apply(...(await go(how, 'rolecall_data_source.it', full)));
      assert.notDeepEqual(await ids(), [id]);
    });
  }

  it('counts as removed, as far as too many are', async () => {
    await terraform.converge(people(12));
    const before = await ids();
    const addresses = (await terraform.must(['state', 'list'])).trim().split(/\s+/).slice(0, 10);
    await refuses(
      addresses.map((address) => `-replace=${address}`),
      /Too many people would be removed/,
    );
    for (const address of addresses) await terraform.must(['taint', address]);
    await refuses([], /Too many people would be removed/);
    assert.deepEqual(await ids(), before);
    for (const address of addresses) await terraform.must(['untaint', address]);
    await terraform.converge('provider "rolecall" {\n  max_removal_percent = 100\n}\n');
  });

  it('is told with what falls, where it is tainted', async () => {
    await terraform.converge(kinds.map(({ hcl }) => hcl('')).join(''));
    const [person] = await everybody();
    const [dataSource] = await client().call('listDataSources', {});
    const [analysts] = await client().call('listRoles', {});
    const body = { username: 'guest', name: 'Guest', email: 'guest@example.com' };
    const guest = await client().call('createPerson', { body });
    const { id } = await client().call('createRole', { body: { name: 'by hand' } });
    await client().call('addRolePerson', { params: { role: id, person: person!.id } });
    await client().call('addRolePerson', { params: { role: analysts!.id, person: guest.id } });
    await client().call('addRoleDataSource', { params: { role: analysts!.id, dataSource: dataSource!.id } });
    await client().call('createPermission', {
      params: { person: guest.id, dataSource: dataSource!.id },
      body: { startsAt: '2030-01-01T00:00:00.000Z', duration: 60 },
    });
    for (const { address } of kinds) await terraform.must(['taint', address]);
    const output = (await terraform.must(['plan'])).replaceAll(/\s+/g, ' ');
    for (const { falls } of kinds) assert.match(output, falls);
    await client().call('lockPerson', { params: { person: guest.id } });
    await client().call('deletePerson', { params: { person: guest.id } });
  });

  it('is not deleted while it is protected, though a changed username hid from the plan who goes', async () => {
    await terraform.converge(ada('protected = true'));
    const before = await ids();
    await terraform.must(['taint', 'rolecall_person.it']);
    terraform.configure(ada('', 'lovelace'));
    await refuses([], /The person ada is protected/);
    terraform.configure(ada('protected = true'));
    await refuses(['-refresh=false'], /The person ada is protected/);
    assert.deepEqual(await ids(), before);
    await terraform.must(['untaint', 'rolecall_person.it']);
    await terraform.converge(ada(''));
    assert.deepEqual(await ids(), before);
  });

  it('goes where its create failed half way, and is finished by untaint', async () => {
    const refused = {
      status: 500,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify(problemBody('internal_error', 'it did not work')),
    };
    const fail = async () => {
      terraform.workspace.proxy.intercept = (call) => Promise.resolve(call.includes('lock') ? refused : undefined);
      await refuses([]);
      terraform.workspace.proxy.intercept = () => Promise.resolve(undefined);
    };
    terraform.configure(ada('locked = true'));
    await fail();
    const [first] = await everybody();
    assert.equal(first?.isLocked, false);
    await terraform.apply();
    const [second] = await everybody();
    assert.deepEqual([second?.isLocked, second?.id === first.id], [true, false]);
    await terraform.converge('');

    terraform.configure(ada('locked = true'));
    await fail();
    const [third] = await everybody();
    await terraform.must(['untaint', 'rolecall_person.it']);
    await terraform.apply();
    assert.deepEqual(await everybody(), [{ ...third, isLocked: true }]);
    await terraform.assertNoChanges();
  });
});
