import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Type } from '@rolecall/provider/codec';
import { startWorkspace } from '../cli/support/workspace.ts';
import {
  bytesOf,
  connectPlugin,
  dynamic,
  emptyConfiguration,
  type PluginClient,
  readWire,
} from './support/plugin-client.ts';
import { attach } from './support/terraform.ts';

const role: Type = ['object', { id: 'string', name: 'string', protected: 'bool', adopt: 'bool', created_at: 'string' }];

/** Plans the role analysts, which is not in the state. @returns what is said of it */
async function planRole(client: PluginClient): Promise<string[]> {
  const values = { id: null, name: 'analysts', protected: null, adopt: null, created_at: null };
  // PlanResourceChange.Request: type_name = 1, prior_state = 2, proposed_new_state = 3, config = 4; Response: diagnostics = 4.
  const [answer] = await client.call('PlanResourceChange', [
    [1, Buffer.from('rolecall_role')],
    [2, dynamic(role, null)],
    [3, dynamic(role, values)],
    [4, dynamic(role, values)],
  ]);
  // Diagnostic: summary = 2.
  const said = answer!.filter(([number]) => number === 4).map(([, message]) => readWire(message as Buffer));
  return said.map((diagnostic) => bytesOf(diagnostic, 2).toString());
}

// ConfigureProvider.Request: config = 2.
const configure = (client: PluginClient) => client.call('ConfigureProvider', [[2, emptyConfiguration()]]);

it('a test of Terraform 1.14, which plans and applies with one configuration, may plan each resource again', async (t) => {
  await using workspace = await startWorkspace();
  const attached = await attach(workspace);
  t.after(() => {
    attached.close();
  });
  using test = connectPlugin(attached);
  await configure(test);
  assert.deepEqual(await planRole(test), []);
  assert.deepEqual(await planRole(test), []);
  // What another one made meanwhile is seen.
  await workspace.client.call('createRole', { body: { name: 'analysts' } });
  assert.deepEqual(await planRole(test), ['Adopts the role analysts']);
});

it('a plan has one resource for one object', async (t) => {
  await using workspace = await startWorkspace();
  const attached = await attach(workspace);
  t.after(() => {
    attached.close();
  });
  using command = connectPlugin(attached);
  // ValidateProviderConfig.Request: config = 1. Each plan and each apply asks for it first.
  await command.call('ValidateProviderConfig', [[1, emptyConfiguration()]]);
  await configure(command);
  assert.deepEqual(await planRole(command), []);
  assert.deepEqual(await planRole(command), ['Two resources manage the role analysts']);
});
