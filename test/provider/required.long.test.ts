import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { useTerraform } from './support/terraform.ts';

const nothing = 'variable "none" {\n  type    = string\n  default = null\n}\n';
/** Null once it is known, which is at the apply. */
const late = `resource "terraform_data" "late" {
  input = "x"
}
locals {
  late = terraform_data.late.id == "" ? "x" : null
}
`;
const people = (ids: string) => `variable "ids" {
  type    = list(string)
  default = null
}
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_role" "analysts" {
  name = "analysts"
}
resource "rolecall_role_people" "analysts" {
  role_id    = rolecall_role.analysts.id
  person_ids = ${ids}
}
`;
const person = (email: string) => `resource "rolecall_person" "eve" {
  username = "eve"
  name     = "Eve"
  email    = ${email}
}
`;
const role = (name: string) => `resource "rolecall_role" "late" {
  name = ${name}
}
`;

describe('null where a value is required', requires('terraform'), () => {
  const terraform = useTerraform('');
  const refuses = (message: RegExp, args = ['plan']) => terraform.refuses(args, message);
  const members = async () => {
    const [found] = await terraform.call('listRoles', {});
    return terraform.call('listRolePeople', { params: { role: found!.id } });
  };
  const writes = () => terraform.calls().filter((call) => !call.startsWith('GET '));

  it('empties no role, neither as a whole nor in a list', async () => {
    await terraform.converge(people('[rolecall_person.ada.id]'));
    const required = /person_ids is required, and is null\. Give it a value, \[\] for none, or leave the resource out/;
    for (const ids of ['var.ids', 'try(var.ids, [])', 'null']) {
      terraform.configure(people(ids));
      await refuses(required);
    }
    for (const ids of ['[null]', '[rolecall_person.ada.id, null]']) {
      terraform.configure(people(ids));
      await refuses(/person_ids has an element that is null\. Take it out, as compact\(\) does/, ['validate']);
    }
    assert.equal((await members()).length, 1);
  });

  it('is an error of the plan, and renames no role', async () => {
    await terraform.converge(role('"late"'));
    terraform.configure(nothing + role('var.none'));
    await refuses(/name is required, and is null\. Give it a value, or leave the resource out, as with count = 0/);
    terraform.configure(nothing + person('try(var.none, "")') + role('"late"'));
    await refuses(/email is required, and is null/);
  });

  it('is the same error of the apply where it is known only then, before anything is called', async () => {
    await terraform.converge(people('[rolecall_person.ada.id]'));
    for (const [hcl, attribute] of [
      [people('local.late == null ? null : [local.late]'), 'person_ids'],
      [people('[rolecall_person.ada.id]') + person('local.late'), 'email'],
      [people('[rolecall_person.ada.id]') + role('local.late'), 'name'],
    ] as const) {
      terraform.configure(late + hcl);
      await terraform.must(['plan']);
      terraform.calls();
      await refuses(new RegExp(`${attribute} is required, and is null`), ['apply', '-auto-approve']);
      assert.deepEqual(writes(), []);
      await terraform.must(['state', 'rm', 'terraform_data.late']);
    }
    assert.equal((await members()).length, 1);
  });
});
