import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { adminClient, installKinds, until } from '../../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../../support/kubernetes/apiserver.ts';
import { type Started, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** No test here has anything reconciled: each looks at what the command says. */
describe('rolecall operator', requires('kubernetes'), () => {
  const folder = temporaryFolder();
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  const running: Started[] = [];
  let server: Apiserver;

  before(async () => {
    server = await startApiserver();
    writeFileSync(kubeconfig, server.kubeconfig, { mode: 0o600 });
  });
  afterEach(async () => {
    for (const one of running.splice(0)) {
      one.child.kill('SIGTERM');
      assert.equal((await one.finished).code, 0);
    }
  });
  after(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  function operate(...args: string[]): Started {
    const started = startCommand(['operator', '--kubeconfig', kubeconfig, ...args]);
    running.push(started);
    return started;
  }

  it('says which kinds the cluster does not know and how to install them, and goes on once they are there', async () => {
    const started = operate('--health-probe-bind-address', '127.0.0.1:0');
    const [, probes = ''] = /Probes: (\S+)\/healthz/.exec(await started.prints(/Probes: .*\n/)) ?? [];
    let told = '';
    started.child.stderr?.on('data', (text: string) => (told += text));
    await until(() => /people\.rolecall/.test(told) && told.endsWith('\n'), 'what is missing');
    assert.match(
      told,
      /^\S+Z warning: people\.rolecall\.dev is not known to this API server: install .* `kubectl apply -f crds\/manifests`$/m,
    );
    assert.doesNotMatch(told, /\n\n/);
    const ready = async () => (await fetch(`${probes}/readyz`)).text();
    assert.match(await ready(), /^not every kind has been listed yet: .*\bpeople\.rolecall\.dev\b/);
    await using admin = adminClient(server);
    await installKinds(admin);
    await until(async () => (await ready()) === 'ok\n', 'readiness');
  });

  it('says who leads, and by which Lease, while it waits', async () => {
    const lease = ['--namespace', 'default'];
    const [, leader = ''] = /leads, as (\S+)/.exec(await operate(...lease).prints(/leads, as \S+\n/)) ?? [];
    const waiting = await operate(...lease).prints(/this process waits.*\n/);
    assert.ok(
      waiting.includes(`this process waits: ${leader} leads by the Lease default/rolecall-operator\n`),
      waiting,
    );
  });
});
