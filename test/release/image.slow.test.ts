/** The image, built from this commit without a container engine, and run as a cluster runs it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readManifest } from '../../tools/packages.ts';
import { buildBase, buildImage, exportImage, Images, systemPackagesOf, timeOf } from '../../tools/release/image.ts';
import { writeImageSbom, writeSbom } from '../../tools/release/sbom.ts';
import { root } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { freePort } from '../support/free-port.ts';
import { adminClient, installKinds, untilExplained } from '../support/kubernetes/admin-client.ts';
import { startApiserver } from '../support/kubernetes/apiserver.ts';
import { Container } from './container.ts';

describe('the container image', requires('buildah', 'tmpfs', 'kubernetes', 'kubectl'), () => {
  const images = new Images();
  const shared = temporaryFolder();
  // Meanwhile the checkout may go on to another one.
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  before(() => {
    chownSync(shared.path, 65532, 65532);
    buildBase(images, root, timeOf(root, commit));
    buildImage(images, root, 'one', 'localhost/base', commit);
  });
  after(() => {
    images[Symbol.dispose]();
    shared[Symbol.dispose]();
  });

  it('is the same when it is built again', () => {
    buildImage(images, root, 'two', 'localhost/base', commit);
    const [one, two] = ['one', 'two'].map((name) => exportImage(images, name, path.join(shared.path, `${name}.tar`)));
    assert.deepEqual(one, two);
    assert.ok(readFileSync(path.join(shared.path, 'one.tar')).equals(readFileSync(path.join(shared.path, 'two.tar'))));
    assert.ok(one !== undefined && one.size < 200 * 1024 ** 2, `${one?.size} bytes`);
  });

  it('has a bill of what is in it', () => {
    const [packages, file] = ['packages', 'image'].map((name) => path.join(shared.path, `${name}.json`)) as [
      string,
      string,
    ];
    writeSbom(root, packages);
    writeImageSbom(packages, file, systemPackagesOf(images, 'one'));
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: { purl: string }[] };
    const names = components.map(({ purl }) => purl.replace(/(?<=.)@.*$/, ''));
    for (const name of ['pkg:npm/fastify', 'pkg:generic/node', 'pkg:deb/debian/libc6', 'pkg:deb/debian/libatomic1'])
      assert.ok(names.includes(name), name);
  });

  it('runs as no one, cannot write to its root, and has neither npm nor the sources', async () => {
    await using container = new Container(images, 'one', shared.path);
    assert.equal(container.config.User, '65532:65532');
    assert.equal((await container.run('--version')).trim(), readManifest('.').version);
    const tried = `const fs = require('fs');
      const attempt = (place) => { try { fs.writeFileSync(place, ''); return 'written'; } catch ({ code }) { return code; } };
      console.log(process.getuid(), attempt('/app/x'), attempt('/x'), attempt('/tmp/x'), ['/src', '/usr/local/bin/npm', '/root/.npmrc', '/root/.npm'].filter((file) => fs.existsSync(file)).join());`;
    assert.equal((await container.runProgram('node', '-e', tried)).trim(), '65532 EROFS EROFS written');
  });

  it('serves the demonstration', async () => {
    await using container = new Container(images, 'one', shared.path);
    const { match } = await container.start(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}(?=\n)/, 'demo', '--open');
    const page = await fetch(match[0]);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>Rolecall/);
  });

  it('passes its health check, and its operator makes what is declared in a cluster', async () => {
    await using container = new Container(images, 'one', shared.path);
    const [port, probes] = [await freePort(), await freePort()];
    const { pid } = await container.start(
      /The workspace is at/,
      'serve',
      '--data',
      '/srv/data',
      '--port',
      String(port),
    );
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\t65532\t/m);
    const key = await container.run('keys', 'create', '--data', '/srv/data', '--scope', 'admin', '--format', 'json');
    const { id, secret } = JSON.parse(key) as { id: string; secret: string };

    const apiserver = await startApiserver();
    try {
      await using client = adminClient(apiserver);
      await installKinds(client);
      await untilExplained(client);
      const kubeconfig = path.join(shared.path, 'kubeconfig');
      writeFileSync(kubeconfig, apiserver.kubeconfig);
      const kubectl = (...args: string[]) =>
        execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8', cwd: root });
      const secrets = [`--from-literal=id=${id}`, `--from-literal=secret=${secret}`];
      kubectl('create', 'secret', 'generic', 'rolecall-key', ...secrets);
      kubectl('apply', '-f', 'examples/kubernetes/trial.yaml');
      const spec = { url: `http://127.0.0.1:${port}`, credentialsFrom: { secretKeyRef: { name: 'rolecall-key' } } };
      kubectl('patch', 'workspace', 'trial', '--type=merge', '-p', JSON.stringify({ spec }));
      const probe = ['--health-probe-bind-address', `127.0.0.1:${probes}`, '--metrics-bind-address', '0'];
      await container.start(/Ctrl-C stops it/, ...container.config.Cmd, '--kubeconfig', '/srv/kubeconfig', ...probe);
      kubectl(
        'wait',
        '--for=condition=Ready',
        '--timeout=120s',
        'people,roles.rolecall.dev,datasources,permissions',
        '--all',
      );
      for (const place of ['healthz', 'readyz'])
        assert.equal((await fetch(`http://127.0.0.1:${probes}/${place}`)).status, 200);
    } finally {
      await apiserver.stop();
    }
  });
});
