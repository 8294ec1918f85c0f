import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createServer } from 'node:tls';
import { platformName, registryAddresses, schemaJson, version } from '@rolecall/provider';
import { putProgram } from '../../cli/commands/terraform/provider-program.ts';
import { bundleProvider } from '../../tools/provider/bundle-provider.ts';
import { certificate, privateKey } from '../api/client/tls-fixture.ts';
import { root, runCommand } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { listenOn } from '../support/relay.ts';
import { type Installed, startInstalled } from './support/installed.ts';
import { inOneLine } from './support/terraform.ts';

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
    // Made when it was bundled.
    const schemas = JSON.parse(await installed.must(['providers', 'schema', '-json'])) as Schemas;
    const [asked = {}] = Object.values(schemas.provider_schemas);
    const [ours = {}] = Object.values((JSON.parse(JSON.stringify(schemaJson())) as Schemas).provider_schemas);
    assert.deepEqual(Object.fromEntries(Object.keys(ours).map((name) => [name, asked[name]])), ours);
  });

  it('reaches a service that only a proxy reaches', async () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'provider.cjs');
    await bundleProvider(script);
    const mirror = path.join(folder.path, 'mirror');
    for (const address of registryAddresses)
      putProgram({ kind: 'script', file: script }, path.join(mirror, address, version, platformName()), undefined);
    await using installed = await startInstalled(undefined, mirror);
    const { hostname, port } = new URL(installed.workspace.url);
    const server = createServer({ cert: certificate, key: privateKey }, (socket) => {
      const passed = connect(Number(port), hostname);
      socket.pipe(passed).pipe(socket);
      for (const end of [socket, passed]) end.on('error', () => end.destroy());
    });
    const served = await listenOn(server);
    await using ends = new AsyncDisposableStack();
    ends.defer(() => {
      server.close();
    });
    await using proxy = await startForwardProxy(served);
    const caFile = path.join(folder.path, 'ca.pem');
    writeFileSync(caFile, certificate);
    // With the full stop it is no name of this machine to the provider, and the certificate is for it.
    const env = { ROLECALL_URL: 'https://localhost.', ROLECALL_CA_FILE: caFile, HTTPS_PROXY: proxy.url };
    installed.configure(ada);
    await installed.must(['init']);
    await installed.must(['apply', '-auto-approve'], env);
    assert.deepEqual(new Set(proxy.asked), new Set(['CONNECT localhost.:443']));
    assert.equal((await installed.workspace.client.call('listPeople', {}))[0]?.username, 'ada');
    installed.configure(ada, 'provider "rolecall" {\n  max_retries = 0\n}\n');
    const { code, output } = await installed.run(['plan'], { ...env, HTTPS_PROXY: 'http://127.0.0.1:9' });
    assert.equal(code, 1);
    assert.match(inOneLine(output), /The workspace cannot be reached/);
  });

  it('says which Node it needs, where an older one runs it', async () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'provider.cjs');
    await bundleProvider(script);
    const [program = ''] = putProgram({ kind: 'script', file: script }, path.join(folder.path, 'to'), undefined);
    const old = path.join(folder.path, 'old.cjs');
    writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });\n");
    const env = { PATH: process.env['PATH'], ROLECALL_NODE: process.execPath, NODE_OPTIONS: `--require=${old}` };
    const { status, stderr } = spawnSync(program, { env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(
      stderr,
      'The provider rolecall needs Node 24 or newer, and this is 20.19.0: install it, or name another one by ROLECALL_NODE\n',
    );
  });

  it('leaves nothing of an older one, as Terraform takes the sum of the whole folder', () => {
    using folder = temporaryFolder();
    const [from, to] = [path.join(folder.path, 'from'), path.join(folder.path, 'to')];
    mkdirSync(from);
    const script = path.join(from, 'provider.cjs');
    for (const name of ['provider.cjs', 'provider-old.cjs']) writeFileSync(path.join(from, name), name);
    putProgram({ kind: 'script', file: script }, to, undefined);
    rmSync(path.join(from, 'provider-old.cjs'));
    writeFileSync(path.join(from, 'provider-new.cjs'), '');
    putProgram({ kind: 'script', file: script }, to, undefined);
    const program = `terraform-provider-rolecall_v${version}`;
    assert.deepEqual(readdirSync(to).toSorted(), ['provider-new.cjs', 'provider.cjs', program]);
    putProgram({ kind: 'executable', file: script }, to, undefined);
    assert.deepEqual(readdirSync(to), [program]);
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
