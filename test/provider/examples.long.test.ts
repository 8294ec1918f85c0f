import assert from 'node:assert/strict';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
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

  it('definitions reads the files that rolecall apply reads, those of sub-folders and in JSON too', async () => {
    cpSync(path.join(examples, 'definitions/main.tf'), path.join(terraform.folder, 'main.tf'));
    const folder = path.join(terraform.folder, 'access');
    const write = (file: string) => {
      const name = path.basename(file).replace(/^\./, '').split('.')[0] ?? '';
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      const definition = { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Person', metadata: { name } };
      const text = JSON.stringify({ ...definition, spec: { name, email: `${name}@example.com` } }, null, '\t');
      writeFileSync(path.join(folder, file), file.endsWith('.txt') ? 'no definition' : text);
    };
    const read = ['ada.yaml', 'team/bo.yaml', 'team/deep/cy.yml', 'team/di.json', 'eve.YAML'];
    read.forEach(write);
    ['.fay.yaml', '.git/gil.yaml', 'team/.cache/hal.json', 'node_modules/pkg/ida.yaml', 'README.txt'].forEach(write);
    await terraform.apply();
    const usernames = async () => (await terraform.call('listPeople', {})).map(({ username }) => username).sort();
    assert.deepEqual(await usernames(), ['ada', 'bo', 'cy', 'di', 'eve']);
    renameSync(path.join(folder, 'ada.yaml'), path.join(folder, 'team/ada.yaml'));
    await terraform.assertNoChanges();
  });

  it('have every resource once', async () => {
    cpSync(path.join(examples, 'plain'), terraform.folder, { recursive: true });
    await terraform.must(['apply', '-auto-approve'], { TF_VAR_billing_password: 's3cret' });
    const listed = (await terraform.must(['state', 'list'])).split('\n').map((line) => line.split('.')[0]);
    for (const { type } of createProvider({}, version).resources) assert.ok(listed.includes(type), type);
  });
});
