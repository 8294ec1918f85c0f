import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { shareAccess } from './support/shared-access.ts';
import { startTerraform } from './support/terraform.ts';

const imports: Readonly<Record<string, string>> = {
  rolecall_data_source: 'billing',
  rolecall_person: 'ada',
  rolecall_role: 'analysts',
  rolecall_role_person: 'analysts/ada',
  rolecall_role_data_source: 'analysts/billing',
  rolecall_permission: 'ada/billing',
  rolecall_snippet: 'role/analysts/Top customers',
};

describe('an import block', requires('terraform'), () => {
  it('writes a configuration of everything that is there, and a plan of it only imports', async () => {
    await using terraform = await startTerraform();
    const { client } = terraform.workspace;
    const role = await shareAccess(client, '2026-01-01T00:00:00.000Z', 100_000_000);
    await client.call('createSnippet', {
      body: {
        name: 'Top customers',
        description: '',
        text: 'select 1',
        isLocked: false,
        publicAccessLevel: 'none',
        owner: 'role',
        ownerRoleId: role,
      },
    });
    const blocks = Object.entries(imports).map(([type, id]) => `import {\n  to = ${type}.one\n  id = "${id}"\n}\n`);
    terraform.configure(blocks.join(''));
    await terraform.run(['plan', '-generate-config-out=generated.tf']);
    assert.ok(!readFileSync(path.join(terraform.folder, 'generated.tf'), 'utf8').includes('s3cret'));
    assert.match(await terraform.apply(), /7 imported, 0 added, 0 changed, 0 destroyed/);
    await terraform.assertNoChanges();
  });
});
