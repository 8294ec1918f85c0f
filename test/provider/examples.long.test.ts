import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createProvider, version } from '@rolecall/provider';
import { root } from '../cli/support/run-command.ts';
import { requires } from '../support/databases/parts.ts';
import { isTerraformFrom, startTerraform, type Terraform } from './support/terraform.ts';

const examples = path.join(root, 'examples/terraform');

describe('the examples for Terraform', requires('terraform'), () => {
  let terraform: Terraform;
  beforeEach(async () => {
    terraform = await startTerraform();
  });
  afterEach(async () => {
    await terraform[Symbol.asyncDispose]();
  });

  for (const name of ['plain', 'definitions', 'team']) {
    it(`${name} is applied, and planned again without changes`, async () => {
      const env = { TF_VAR_billing_password: 's3cret' };
      cpSync(path.join(examples, name), terraform.folder, { recursive: true });
      assert.equal((await terraform.run(['fmt', '-check', '-recursive', '-diff'])).output, '');
      // Local modules have to be put in place; the provider is there already.
      await terraform.must(['get'], env);
      await terraform.must(['apply', '-auto-approve'], env);
      const { code, output } = await terraform.run(['plan', '-detailed-exitcode'], env);
      assert.equal(code, 0, output);
      assert.notEqual((await terraform.call('listPermissions', {})).length, 0);
    });
  }

  // actions.test.ts holds the protocol to it whatever is installed.
  if (isTerraformFrom(14)) {
    it('of actions are invoked, and leave nothing in the state', async () => {
      const env = { TF_VAR_billing_password: 's3cret' };
      for (const name of ['plain', 'actions']) cpSync(path.join(examples, name), terraform.folder, { recursive: true });
      await terraform.must(['apply', '-auto-approve'], env);
      terraform.calls();
      const invoke = (name: string) => terraform.must(['apply', '-auto-approve', `-invoke=action.${name}`], env);
      assert.match(await invoke('rolecall_reset_two_factor.ada'), /The second factor of ada is off\./);
      assert.ok(terraform.calls().some((call) => /^DELETE .*two-factor$/.test(call)));
      assert.match(await invoke('rolecall_send_message.maintenance'), /0 editors show the message\./);
      const { code, output } = await terraform.run(['plan', '-detailed-exitcode'], env);
      assert.equal(code, 0, output);
    });
  }

  it('have every resource once', async () => {
    cpSync(path.join(examples, 'plain'), terraform.folder, { recursive: true });
    await terraform.must(['apply', '-auto-approve'], { TF_VAR_billing_password: 's3cret' });
    const listed = (await terraform.must(['state', 'list'])).split('\n').map((line) => line.split('.')[0]);
    for (const { type } of createProvider({}, version).resources) assert.ok(listed.includes(type), type);
  });
});
