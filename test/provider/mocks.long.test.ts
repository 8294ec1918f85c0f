import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { startTerraform } from './support/terraform.ts';

const configuration = `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_role" "analysts" {
  name = var.role
}
variable "role" {
  type    = string
  default = "analysts"
}
resource "rolecall_data_source" "billing" {
  name  = "Billing"
  alias = "billing"
  uri   = "sqlite:///srv/billing.db?mode=ro"
}
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.ada.id
  duration  = "8h"
}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.billing.id
  duration       = "8h"
}
`;

const tests = `
mock_provider "rolecall" {
  alias = "mocked"
}
run "mocked" {
  providers = { rolecall = rolecall.mocked }
}
run "planned_after_it" {
  command = plan
}
run "applied_after_it" {
  assert {
    condition     = rolecall_permission.ada.duration == "8h"
    error_message = "There is no permission."
  }
}
`;

/** Terraform 1.14 keeps the provider of such a file running over all its runs. */
const withProvider = `
provider "rolecall" {
  manager = "tests"
}
run "made" {
}
run "replaced" {
  variables {
    role = "engineers"
  }
  assert {
    condition     = rolecall_role.analysts.name == "engineers"
    error_message = "The role was not renamed."
  }
}
run "planned" {
  command = plan
  variables {
    role = "engineers"
  }
  assert {
    condition     = rolecall_role.analysts.id != ""
    error_message = "The plan does not know the role."
  }
}
`;

describe('terraform test', requires('terraform'), () => {
  it('applies a configuration whose state has what a mocked provider made up', async () => {
    await using terraform = await startTerraform();
    terraform.configure(configuration);
    writeFileSync(path.join(terraform.folder, 'mocked.tftest.hcl'), tests);
    await terraform.must(['test']);
  });

  it('plans, applies and cleans up, where the file of the tests has the block of the provider', async () => {
    await using terraform = await startTerraform();
    terraform.configure(configuration);
    writeFileSync(path.join(terraform.folder, 'real.tftest.hcl'), withProvider);
    await terraform.must(['test']);
    assert.deepEqual(await terraform.call('listPeople', {}), []);
  });
});
