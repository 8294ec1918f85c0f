import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { adminClient, ask, installKinds, kindPath } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { type ClusterTools, clusterTools } from '../support/kubectl.ts';

const page = path.resolve(import.meta.dirname, '../../../docs/kubernetes/install.md');

/** Without an operator, so that no finalizer keeps what is deleted. */
const objects: Readonly<Record<string, readonly [string, object]>> = {
  workspaces: ['Workspace', { url: 'https://workspace.test', credentialsFrom: { secretKeyRef: { name: 'key' } } }],
  datasources: ['DataSource', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' }],
  people: ['Person', { username: 'ada', name: 'Ada', email: 'ada@example.com' }],
  roles: ['Role', {}],
  rolememberships: ['RoleMembership', { role: 'one', person: 'one' }],
  permissions: ['Permission', { person: 'one', dataSource: 'one', duration: '8h' }],
  snippets: ['Snippet', { text: 'select 1', owner: { role: 'one' } }],
};

describe('the documented way to uninstall', requires('kubernetes', 'kubectl'), () => {
  let server: Apiserver;
  let tools: ClusterTools;
  let text: string;

  before(async () => {
    [server, text] = await Promise.all([startApiserver(), readFile(page, 'utf8')]);
    tools = await clusterTools(server.kubeconfig);
    await using admin = adminClient(server);
    await installKinds(admin);
    await ask(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'team-a' } });
    for (const namespace of ['default', 'team-a'])
      for (const [plural, [kind, spec]] of Object.entries(objects)) {
        const object = { apiVersion: 'rolecall.dev/v1alpha1', kind, metadata: { name: 'one' }, spec };
        await ask(admin, 'POST', kindPath(plural, '', namespace), object);
      }
  });
  after(async () => {
    await tools[Symbol.asyncDispose]();
    await server.stop();
  });

  /** Runs the command of the page that has these words, as it stands there. */
  async function follow(command: RegExp): Promise<void> {
    const [found = ''] = command.exec(text) ?? [];
    assert.notEqual(found, '', `the page has no ${command.source}`);
    const { code, stderr } = await tools.run('sh', ['-c', found]);
    assert.deepEqual([code, stderr], [0, '']);
  }

  const policies = async (): Promise<string[]> => {
    const { stdout } = await tools.kubectl([
      ...['get', 'rolecall', '-A', '--no-headers'],
      ...['-o', 'custom-columns=K:.kind,P:.spec.deletionPolicy'],
    ]);
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +/, ' '));
  };

  it('leaves everything in the workspace that can be left there, of every kind in every namespace', async () => {
    await follow(/kubectl get datasources[^`]*?done$/m);
    const expected = Object.values(objects).map(([kind]) => `${kind} ${kind === 'Workspace' ? '<none>' : 'Orphan'}`);
    assert.deepEqual((await policies()).sort(), [...expected, ...expected].sort());
  });

  it('deletes every object, and then every kind', async () => {
    await follow(/kubectl delete rolecall [^`]*/);
    assert.deepEqual(await policies(), ['']);
    await follow(/kubectl delete crd [^`]*/);
    assert.equal((await tools.kubectl(['get', 'crd', '-o', 'name'])).stdout, '');
  });
});
