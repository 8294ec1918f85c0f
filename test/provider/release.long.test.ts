import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { platformName, registryAddresses, version } from '@rolecall/provider';
import { root, runCommand } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { type BareRoot, bareDebian, busyboxRoot, fillWork, runInRoot } from './support/bare-root.ts';
import { type Installed, startInstalled } from './support/installed.ts';
import { unzip } from './support/unzip.ts';

const folder = path.join(root, 'dist/terraform');
const registry = path.join(folder, 'registry');
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

  it('starts from the folder that it is built into, named in dev_overrides', async () => {
    using work = temporaryFolder();
    const configuration = path.join(work.path, 'cli.tfrc');
    const lines = registryAddresses.map((address) => `    "${address}" = "${folder}"\n`);
    writeFileSync(configuration, `provider_installation {\n  dev_overrides {\n${lines.join('')}  }\n}\n`);
    installed.configure('data "rolecall_people" "all" {}\n');
    const said = await installed.must(['plan'], { TF_CLI_CONFIG_FILE: configuration });
    assert.match(said, /development overrides are in effect/);
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
    const libraries = (place: string) => readdirSync(place).map((name) => [name, sumOf(path.join(place, name))]);
    const [place = ''] = globSync(path.join(mirror, '**/lib'));
    assert.deepEqual(libraries(place), libraries(path.join(folder, 'lib')));
  });

  const startsIn = async ({ folder: bare, what }: BareRoot) => {
    using work = temporaryFolder();
    const [address] = registryAddresses;
    const hcl = `terraform {
  required_providers {
    rolecall = { source = "${address}" }
  }
}
resource "rolecall_role" "bare" {
  name = "${what}"
}
`;
    fillWork(work.path, address, path.join(registry, `${name}_${platformName()}.zip`), hcl);
    const env = { ...installed.workspace.env, TF_CLI_CONFIG_FILE: '/mnt/cli.tfrc', CHECKPOINT_DISABLE: '1' };
    const run = async (...command: string[]) => {
      const { code, output } = await runInRoot({ folder: bare, what }, work.path, command, env);
      assert.equal(code, 0, `${command.join(' ')}\n${output}`);
    };
    await run('./terraform', 'init', '-no-color');
    await run('./terraform', 'apply', '-auto-approve', '-no-color');
    const roles = await installed.workspace.client.call('listRoles', {});
    assert.ok(roles.some((role) => role.name === what));
    await run('./terraform', 'destroy', '-auto-approve', '-no-color');
  };

  it('starts in a Debian with nothing installed', requires('debian'), async () => {
    const debian = bareDebian();
    assert.deepEqual(globSync('usr/lib/**/libatomic.so*', { cwd: debian.folder }), []);
    await startsIn(debian);
  });

  it('starts where there is no C library', requires('busybox', 'debian'), async () => {
    using bare = temporaryFolder();
    await startsIn(busyboxRoot(bare.path));
  });

  it('takes none of the libraries of the machine', async () => {
    const child = spawn(path.join(folder, executable), {
      env: { TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const mapped = readFileSync(`/proc/${child.pid}/maps`, 'utf8').matchAll(/ (\/\S+\.so\S*)$/gm);
      const loaded = [...new Set([...mapped].map(([, file = '']) => file))];
      assert.ok(loaded.some((file) => file.endsWith('/libc.so.6')));
      assert.deepEqual(
        loaded.filter((file) => path.dirname(file) !== path.join(folder, 'lib')),
        [],
      );
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });

  it('has the archive, checksums and manifest of the registry', () => {
    const archive = `${name}_${platformName()}.zip`;
    const files = unzip(readFileSync(path.join(registry, archive)));
    const beside = [...files.keys()].filter((file) => !file.startsWith('lib/'));
    assert.deepEqual(beside, [executable, 'LICENSE', 'NOTICE', 'THIRD-PARTY-LICENSES.txt']);
    const libraries = ['libatomic.so.1', 'libc.so.6', 'libgcc_s.so.1', 'libstdc++.so.6', 'terraform-provider-rolecall'];
    for (const file of [executable, ...libraries.map((each) => `lib/${each}`)])
      assert.ok(files.get(file)?.equals(readFileSync(path.join(folder, file))), file);
    const licenses = String(files.get('THIRD-PARTY-LICENSES.txt'));
    assert.match(licenses, /undici[\s\S]*zod[\s\S]*Node\.js/);
    assert.match(licenses, /GCC RUNTIME LIBRARY EXCEPTION[\s\S]*GNU LESSER GENERAL PUBLIC LICENSE/);
    assert.match(String(files.get('NOTICE')), /libc6, built from Debian's source package glibc \S+: GNU LGPL 2\.1/);
    const manifest: unknown = JSON.parse(readFileSync(path.join(registry, `${name}_manifest.json`), 'utf8'));
    assert.deepEqual(manifest, { version: 1, metadata: { protocol_versions: ['6.0'] } });
    const sums = readFileSync(path.join(registry, `${name}_SHA256SUMS`), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(sums.length, 2);
    for (const line of sums) {
      const [sum, file = ''] = line.split('  ');
      assert.equal(sum, sumOf(path.join(registry, file)));
    }
  });
});

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
