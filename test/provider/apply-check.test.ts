import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Type } from '@rolecall/provider/codec';
import { startWorkspace } from '../cli/support/workspace.ts';
import { bytesOf, connectPlugin, dynamic, emptyConfiguration, readWire } from './support/plugin-client.ts';
import { attach } from './support/terraform.ts';

const members: Type = ['object', { id: 'string', role_id: 'string', person_ids: ['set', 'string'] }];

it('an apply whose configuration was not checked again is refused before anything is called', async (t) => {
  await using workspace = await startWorkspace();
  const attached = await attach(workspace);
  t.after(() => {
    attached.close();
  });
  using client = connectPlugin(attached);
  // ConfigureProvider.Request: config = 2.
  const [configured] = await client.call('ConfigureProvider', [[2, emptyConfiguration()]]);
  assert.deepEqual(configured, []);
  workspace.proxy.calls.splice(0);
  const planned = dynamic(members, { id: 'r', role_id: 'r', person_ids: null });
  // ApplyResourceChange.Request: type_name = 1, prior_state = 2, planned_state = 3, config = 4; Response: diagnostics = 3.
  const [answer] = await client.call('ApplyResourceChange', [
    [1, Buffer.from('rolecall_role_people')],
    [2, dynamic(members, { id: 'r', role_id: 'r', person_ids: ['p'] })],
    [3, planned],
    [4, dynamic(members, { id: null, role_id: 'r', person_ids: null })],
  ]);
  // Diagnostic: detail = 3.
  const detail = bytesOf(readWire(bytesOf(answer!, 3)), 3).toString();
  assert.match(detail, /^person_ids is required, and is null\. Give it a value, \[\] for none/);
  assert.deepEqual(workspace.proxy.calls, []);
});
