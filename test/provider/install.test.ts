import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { platformName, registryAddresses, schemaJson, version } from '@rolecall/provider';
import { putProgram } from '../../cli/commands/terraform/provider-program.ts';
import { bundleProvider } from '../../tools/bundle-provider.ts';
import { root, runCommand } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { type Installed, startInstalled } from './support/installed.ts';

const ada = `resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
`;

interface Schemas {
  provider_schemas: Record<string, Record<string, unknown>>;
}

describe('an installed provider', requires('terraform'), () => {
  let installed: Installed;
  before(async () => {
    installed = await startInstalled();
    installed.configure(ada);
    await installed.must(['init']);
  });
  after(async () => {
    await installed[Symbol.asyncDispose]();
  });

  it('is found, started with mutual TLS and ended by terraform itself', async () => {
    await installed.must(['apply', '-auto-approve']);
    const [person] = await installed.workspace.client.call('listPeople', {});
    assert.equal(person?.username, 'ada');
    const planned = await installed.run(['plan', '-detailed-exitcode']);
    assert.equal(planned.code, 0, planned.output);
  });

  it('has the schema that rolecall terraform schema prints', async () => {
    const { stdout, code } = await runCommand(['terraform', 'schema']);
    assert.equal(code, 0);
    const printed = JSON.parse(stdout) as Schemas;
    assert.deepEqual(printed, JSON.parse(JSON.stringify(schemaJson())));
    const asked = JSON.parse(await installed.must(['providers', 'schema', '-json'])) as Schemas;
    // Newer versions print more, and tofu has a registry of its own.
    const [ours = {}] = Object.values(printed.provider_schemas);
    const [theirs = {}] = Object.values(asked.provider_schemas);
    assert.deepEqual(Object.fromEntries(Object.keys(ours).map((name) => [name, theirs[name]])), ours);
  });
});

describe('the provider of the npm package', requires('terraform'), () => {
  it('is installed as a script, the same on every machine, and runs by the Node on the path', async () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'provider.cjs');
    await bundleProvider(script);
    const mirror = path.join(folder.path, 'mirror');
    for (const address of registryAddresses) {
      const target = path.join(mirror, address, version, platformName());
      const files = putProgram({ kind: 'script', file: script }, target, undefined);
      assert.ok(!readFileSync(files[0] ?? '', 'utf8').includes(root));
    }
    await using installed = await startInstalled(undefined, mirror);
    installed.configure(ada);
    await installed.must(['init']);
    await installed.must(['apply', '-auto-approve']);
    const [person] = await installed.workspace.client.call('listPeople', {});
    assert.equal(person?.username, 'ada');
    assert.equal((await installed.run(['plan', '-detailed-exitcode'])).code, 0);
  });
});

describe('rolecall terraform install', () => {
  it('says what to do when the provider was not built', async () => {
    const { code, stderr } = await runCommand(['terraform', 'install', '--from', '/nowhere']);
    assert.equal(code, 1);
    assert.match(stderr, /\/nowhere is not there: correct --from/);
  });

  it('installs the version of the package', () => {
    const { version: packaged } = JSON.parse(readFileSync(path.join(root, 'provider/package.json'), 'utf8')) as {
      version: string;
    };
    assert.equal(version, packaged);
  });
});
