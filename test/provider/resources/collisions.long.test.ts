import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const person = (username: string, email = `"${username}@example.com"`) => `resource "rolecall_person" "${username}" {
  username = "${username}"
  name     = "${username}"
  email    = ${email}
}
`;
const source = (alias: string, uri = `"sqlite:///data/${alias}.db"`) => `resource "rolecall_data_source" "${alias}" {
  name  = "${alias}"
  alias = "${alias}"
  uri   = ${uri}
}
`;
const role = 'resource "rolecall_role" "base" {\n  name = "base"\n}\n';
const one = `resource "rolecall_role_person" "one" {
  role_id   = rolecall_role.base.id
  person_id = rolecall_person.ada.id
}
`;
const list = (ids: string) => `resource "rolecall_role_people" "all" {
  role_id    = rolecall_role.base.id
  person_ids = ${ids}
}
`;
const late = (value: string) => `resource "terraform_data" "late" {\n  input = "${value}"\n}\n`;

describe('what only one can have', requires('terraform'), () => {
  const terraform = useTerraform('');
  const refuses = (message: RegExp, args = ['plan']) => terraform.refuses(args, message);
  const members = async () => {
    const [found] = await terraform.call('listRoles', {});
    const all = await terraform.call('listRolePeople', { params: { role: found!.id } });
    return all.map(({ username }) => username).sort();
  };
  const make = (username: string) =>
    terraform.call('createPerson', {
      body: { username, name: username, email: `${username}@example.com` },
    });
  beforeEach(async () => {
    const { client } = terraform.workspace;
    for (const { id } of await client.call('listPeople', {})) {
      await client.call('lockPerson', { params: { person: id } });
      await client.call('deletePerson', { params: { person: id } });
    }
  });

  describe('the members of a role', () => {
    it('are not managed by a list and one at a time, which would undo each other for ever', async () => {
      const given = role + person('ada') + person('grace');
      await terraform.converge(given + one);
      const both = given + one + list('[rolecall_person.grace.id]');
      terraform.configure(both);
      await refuses(/A rolecall_role_people and a rolecall_role_person have the role_id .* for ever/);
      terraform.configure(given + one);
      await terraform.assertNoChanges();
    });

    it('may be known to be so only at the apply, whose state takes the corrected configuration', async () => {
      const given = role + person('ada');
      terraform.configure(given + one + list('[]'));
      await refuses(/Two resources manage the people of one role/, ['apply', '-auto-approve', '-parallelism=1']);
      await refuses(/Two resources manage the people of one role/);
      await terraform.converge(given + one);
      await terraform.assertNoChanges();
      assert.deepEqual(await members(), ['ada']);
    });

    it('are there, or the plan says which one is not', async () => {
      await terraform.converge(role + person('ada'));
      terraform.configure(role + person('ada') + list('[rolecall_person.ada.id, "nowhere"]'));
      await refuses(/No such person.*person_ids.*no person with the id nowhere/);
      terraform.configure(role + person('ada') + one.replace('rolecall_person.ada.id', '"ada"'));
      await refuses(/ada is the username of a person, and no id/);
    });
  });

  describe('an e-mail address', () => {
    it('that a person of the workspace has is refused in the plan, which names them', async () => {
      await make('grace');
      terraform.configure(person('ada', '"GRACE@example.com"'));
      await refuses(/The e-mail address GRACE@example.com is taken.* The person grace of the workspace has it/);
      await terraform.converge(person('ada'));
      terraform.configure(person('ada', '"grace@example.com"'));
      await refuses(/The e-mail address grace@example.com is taken.* The person grace of the workspace has it/);
    });

    it('of two resources is refused in the plan, also where one of them has it', async () => {
      terraform.configure(person('ada') + person('grace', '"ada@example.com"'));
      await refuses(/Another resource of this configuration gives a person the address/);
      await terraform.converge(person('ada'));
      terraform.configure(person('ada') + person('grace', '"ada@example.com"'));
      await refuses(/Another resource of this configuration gives a person the address/);
    });

    it('known only at the apply is refused there, and the state takes the corrected configuration', async () => {
      await make('grace');
      const unknown = person('ada', 'terraform_data.late.output');
      terraform.configure(late('grace@example.com') + unknown);
      await refuses(/The e-mail address grace@example.com is taken.* The person grace of the workspace has it/, [
        'apply',
        '-auto-approve',
      ]);
      await terraform.converge(late('ada@example.com') + unknown);
      await terraform.assertNoChanges();
    });

    it('that a person gives up in the same plan is none that is taken', async () => {
      await terraform.converge(person('ada', '"first@example.com"'));
      await terraform.converge(person('ada', '"second@example.com"') + person('grace', '"first@example.com"'));
      await terraform.assertNoChanges();
    });
  });

  describe('an alias', () => {
    const given = late('two') + source('one');
    const taking = source('two').replace('"two"\n  uri', 'terraform_data.late.output\n  uri');

    it('known only at the apply is refused there, and the state takes the corrected configuration', async () => {
      await terraform.converge(given + taking);
      terraform.configure(given.replace('"two"', '"one"') + taking);
      await refuses(/The alias one is taken.* The data source one of the workspace has it/, ['apply', '-auto-approve']);
      await terraform.converge(given + taking);
      await terraform.assertNoChanges();
    });

    it('that a data source of the workspace has is refused in the plan', async () => {
      const body = { name: 'Theirs', alias: 'theirs', configUri: 'sqlite:///data/theirs.db' };
      const { id } = await terraform.call('createDataSource', { body });
      await terraform.converge(source('one'));
      terraform.configure(source('one').replace('alias = "one"', 'alias = "theirs"'));
      await refuses(/The alias theirs is taken.* The data source Theirs of the workspace has it/);
      await terraform.call('deleteDataSource', { params: { dataSource: id } });
    });
  });
});
