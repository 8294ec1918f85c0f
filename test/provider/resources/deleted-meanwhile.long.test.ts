import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { everything } from '../support/everything.ts';
import { useTerraform } from '../support/terraform.ts';

describe('what someone else deleted after Terraform last read the workspace', requires('terraform'), () => {
  const terraform = useTerraform(everything('first'));

  async function deleteAll(): Promise<void> {
    const { client } = terraform.workspace;
    for (const { id } of await client.call('listPeople', {})) {
      await client.call('lockPerson', { params: { person: id } });
      await client.call('deletePerson', { params: { person: id } });
    }
    for (const { id } of await client.call('listRoles', {})) await client.call('deleteRole', { params: { role: id } });
    for (const { id } of await client.call('listDataSources', {}))
      await client.call('deleteDataSource', { params: { dataSource: id } });
  }

  /** Applies in vain, and then again. */
  async function assertTold(args: readonly string[]): Promise<void> {
    const errors = await terraform.errorsOf(['apply', ...args]);
    assert.ok(errors.length > 0);
    for (const error of errors)
      assert.match(
        error,
        /^Deleted in the meantime .* There is no (person|role|data source|snippet) .*without -refresh=false/,
      );
    await terraform.apply();
    await terraform.assertNoChanges();
  }

  it('is named, with what to do, by a plan that does not read it', async () => {
    await deleteAll();
    terraform.configure(everything('second'));
    await assertTold(['-auto-approve', '-refresh=false']);
  });

  it('is named, with what to do, by the apply of a saved plan', async () => {
    terraform.configure(everything('second'));
    await terraform.must(['plan', '-out=saved']);
    await deleteAll();
    await assertTold(['saved']);
  });
});
