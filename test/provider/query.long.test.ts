import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { isTerraformFrom, startTerraform } from './support/terraform.ts';

const lists = `list "rolecall_person" "open" {
  provider         = rolecall
  include_resource = true
  config { locked = false }
}
list "rolecall_role_person" "all" {
  provider         = rolecall
  include_resource = true
}
`;

describe('what is there and not managed', requires('terraform'), () => {
  // identity.test.ts holds the protocol to it whatever is installed.
  if (isTerraformFrom(14)) {
    it('is found by terraform query, and managed by the configuration that it writes', async () => {
      await using terraform = await startTerraform();
      const { client } = terraform.workspace;
      const ada = await client.call('createPerson', {
        body: { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
      });
      const role = await client.call('createRole', { body: { name: 'analysts' } });
      await client.call('addRolePerson', { params: { role: role.id, person: ada.id } });
      terraform.configure('');
      const query = path.join(terraform.folder, 'all.tfquery.hcl');
      writeFileSync(query, lists);
      const output = await terraform.must(['query', '-generate-config-out=found.tf']);
      assert.match(output, /list\.rolecall_role_person\.all .*analysts\/ada/);
      assert.match(readFileSync(path.join(terraform.folder, 'found.tf'), 'utf8'), /identity = \{\s+id = "/);
      assert.match(await terraform.apply(), /2 imported, 0 added, 0 changed, 0 destroyed/);
      await terraform.assertNoChanges();
    });
  }

  it('is imported by its natural key', async () => {
    await using terraform = await startTerraform();
    await terraform.call('createRole', { body: { name: 'analysts' } });
    terraform.configure('resource "rolecall_role" "one" {\n  name = "analysts"\n}\n');
    await terraform.must(['import', 'rolecall_role.one', 'analysts']);
    await terraform.assertNoChanges();
  });
});
