import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const objects = `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_role" "analysts" {
  name = "analysts"
}
`;

const single = (role: string, person: string): string => `${objects}
resource "rolecall_role_person" "ada" {
  role_id   = ${role}
  person_id = ${person}
}
`;

const list = (role: string, person: string): string => `${objects}
resource "rolecall_role_people" "analysts" {
  role_id    = ${role}
  person_ids = [${person}]
}
`;

const [role, person] = ['rolecall_role.analysts.id', 'rolecall_person.ada.id'];

describe('what a membership refers to', requires('terraform'), () => {
  const terraform = useTerraform();

  for (const [what, write] of Object.entries({ single, list })) {
    it(`is looked up though the other end is not made yet: ${what}`, async () => {
      terraform.configure(write(role, '"nobody"'));
      await terraform.refuses(['plan'], /No such person .*no person with the id nobody/);
      terraform.configure(write('"analysts"', person));
      await terraform.refuses(['plan'], /No such role .*no role with the id analysts/);
    });
  }

  for (const [what, write] of Object.entries({ single, list })) {
    it(`is looked up where it changes: ${what}`, async () => {
      await terraform.converge(write(role, person));
      terraform.configure(write(role, '"ada"'));
      await terraform.refuses(['plan'], /No such person .*ada is the username of a person, and no id/);
      terraform.configure(write('"analysts"', person));
      await terraform.refuses(['plan'], /No such role .*analysts is the name of a role, and no id/);
      await terraform.converge(objects);
    });
  }

  it('may have been made by the provider under another alias, in the same apply', async () => {
    await terraform.converge(`
provider "rolecall" {
  alias = "admin"
}
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_data_source" "first" {
  provider = rolecall.admin
  name     = "First"
  alias    = "first"
  uri      = "sqlite:///srv/first.db"
}
# By now the provider has read the data sources.
resource "rolecall_permission" "first" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.first.id
  duration       = "8h"
}
resource "rolecall_data_source" "second" {
  provider   = rolecall.admin
  name       = "Second"
  alias      = "second"
  uri        = "sqlite:///srv/second.db"
  depends_on = [rolecall_permission.first]
}
data "rolecall_data_source" "second" {
  alias      = "second"
  depends_on = [rolecall_data_source.second]
}
resource "rolecall_permission" "second" {
  person_id      = rolecall_person.ada.id
  data_source_id = data.rolecall_data_source.second.id
  duration       = "8h"
}
resource "rolecall_permission" "third" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.second.id
  duration       = "9h"
}
`);
    await terraform.assertNoChanges();
  });
});
