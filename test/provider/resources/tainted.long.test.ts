import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { everything } from '../support/everything.ts';
import { startTerraform } from '../support/terraform.ts';

const addresses = [
  'rolecall_data_source.billing',
  'rolecall_person.ada',
  'rolecall_role.analysts',
  'rolecall_role_person.ada',
  'rolecall_role_data_sources.analysts',
  'rolecall_permission.ada',
  'rolecall_snippet.top',
];

describe('what is tainted', requires('terraform'), () => {
  it('is deleted and made again, and not taken for something to adopt', async () => {
    await using terraform = await startTerraform();
    await terraform.converge(everything('first'));
    for (const address of addresses) {
      await terraform.must(['taint', address]);
      const output = await terraform.apply();
      assert.match(output, /must be replaced/, output);
      assert.doesNotMatch(output, /Adopts/, output);
      // What went with it is made again by the next plan, at the latest.
      await terraform.apply();
      await terraform.assertNoChanges();
    }
  });
});
