import assert from 'node:assert/strict';
import { managers, writeConfiguration } from '../../../bench/terraform/configurations.ts';
import { describeObjects } from '../../../bench/terraform/objects.ts';
import { startStateServer } from '../../../bench/terraform/state-server.ts';
import { startTerraform } from './terraform.ts';

/**
 * Applies so many objects of every sort, plans them again with 50 at a time, and holds what the service was asked to one
 * call an object and one a collection or role.
 */
export async function applyAndPlan(count: number): Promise<void> {
  const states = await startStateServer();
  try {
    await using terraform = await startTerraform();
    const objects = describeObjects(count);
    const roles = objects.filter(({ kind }) => kind === 'role').length;
    writeConfiguration(terraform.folder, managers.rolecall, objects, states.address('state'));
    await terraform.must(['init']);
    terraform.calls();
    await terraform.apply('-parallelism=50');
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.equal(written.length, objects.length);
    assert.equal(
      new Set(written.filter((call) => call.startsWith('PUT'))).size,
      written.filter((call) => call.startsWith('PUT')).length,
    );

    const { code, output } = await terraform.run(['plan', '-detailed-exitcode', '-parallelism=50']);
    assert.equal(code, 0, output);
    const read = terraform.calls();
    assert.equal(new Set(read).size, read.length, 'nothing is read twice');
    assert.equal(read.length, 4 + roles);
  } finally {
    states.close();
  }
}
