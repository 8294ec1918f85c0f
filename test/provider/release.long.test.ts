import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { platformName, version } from '@rolecall/provider';
import { root, runCommand } from '../cli/support/run-command.ts';
import { requires } from '../support/databases/parts.ts';
import { type Installed, startInstalled } from './support/installed.ts';
import { unzip } from './support/unzip.ts';

const folder = path.join(root, 'dist/terraform');
const name = `terraform-provider-rolecall_${version}`;
const executable = `terraform-provider-rolecall_v${version}`;

describe('a release of the provider', requires('terraform'), () => {
  let installed: Installed;
  before(async () => {
    execFileSync('npm', ['run', '--silent', 'build:provider'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    installed = await startInstalled(path.join(folder, executable));
  });
  after(async () => {
    await installed[Symbol.asyncDispose]();
  });

  it('runs where no Node is on the path', async () => {
    installed.configure(`resource "rolecall_role" "analysts" {\n  name = "analysts"\n}\n`);
    await installed.must(['init']);
    const terraform = path.dirname(execFileSync('which', ['terraform'], { encoding: 'utf8' }));
    await installed.must(['apply', '-auto-approve'], { PATH: terraform });
    const [role] = await installed.workspace.client.call('listRoles', {});
    assert.equal(role?.name, 'analysts');
  });

  it('has in its snapshot all that its calls take', async () => {
    installed.configure(`locals {
  objects = provider::rolecall::definitions("kind: Person\\nmetadata: { name: ada }\\nspec: { username: ada, name: Ada, email: a@example.com }")
}
resource "rolecall_person" "each" {
  for_each = local.objects.people
  username = each.value.username
  name     = each.value.name
  email    = each.value.email
}
resource "rolecall_data_source" "billing" {
  alias    = "billing"
  name     = "Billing"
  uri      = "postgresql://reader@db.internal:5432/billing"
  password = "sesame"
}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.each["ada"].id
  data_source_id = rolecall_data_source.billing.id
  duration       = "8h"
}
`);
    await installed.must(['apply', '-auto-approve']);
    await installed.must(['plan', '-detailed-exitcode']);
    await installed.must(['destroy', '-auto-approve']);
  });

  it('is what rolecall terraform install puts where Terraform looks', async () => {
    const mirror = path.join(installed.folder, 'another-mirror');
    const { stdout } = await runCommand(['terraform', 'install', '--dir', mirror, '--format', 'json']);
    const { files } = JSON.parse(stdout) as { files: string[] };
    assert.equal(sumOf(files[0] ?? ''), sumOf(path.join(folder, executable)));
  });

  it('has the archive, checksums and manifest of the registry', () => {
    const archive = `${name}_${platformName()}.zip`;
    const files = unzip(readFileSync(path.join(folder, archive)));
    assert.deepEqual([...files.keys()], [executable, 'LICENSE', 'THIRD-PARTY-LICENSES.txt']);
    assert.match(String(files.get('THIRD-PARTY-LICENSES.txt')), /undici[\s\S]*zod[\s\S]*Node\.js/);
    assert.ok(files.get(executable)?.equals(readFileSync(path.join(folder, executable))));
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, `${name}_manifest.json`), 'utf8'));
    assert.deepEqual(manifest, { version: 1, metadata: { protocol_versions: ['6.0'] } });
    const sums = readFileSync(path.join(folder, `${name}_SHA256SUMS`), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(sums.length, 2);
    for (const line of sums) {
      const [sum, file = ''] = line.split('  ');
      assert.equal(sum, sumOf(path.join(folder, file)));
    }
  });
});

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
