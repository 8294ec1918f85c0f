import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemBody } from '@rolecall/api';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

const forbidden = (resource: string) => ({
  answer: 403,
  body: {
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    message: `User "operator" cannot patch resource "${resource}"`,
  },
});

describe('the Workspaces of a namespace', () => {
  const suite = useInstallation();

  const start = async (spec: Record<string, unknown> = {}) => {
    const space = await suite.all.namespace(spec);
    await suite.operate({ driftMs: 500 });
    return space;
  };
  const there = async (username: string) =>
    (await suite.all.service.call('listPeople', {})).some((one) => one.username === username);

  it('are not Ready before their workspace has answered, whether or not they have objects', async () => {
    const space = await start({ url: 'http://127.0.0.1:1' });
    await space.reason('Workspace', 'workspace', 'Unreachable');
    await space.patch('Workspace', 'workspace', { spec: { url: suite.all.workspace.proxy.url } });
    await space.reason('Workspace', 'workspace', 'Converged');
  });

  it('say which Secret to put right when their key is refused', async () => {
    const space = await start({ credentialsFrom: { secretKeyRef: { name: 'rolecall-key', keySecret: 'id' } } });
    assert.match(await space.reason('Workspace', 'workspace', 'Refused'), /the Secret rolecall-key/);
  });

  it('are named in the log once, when their key begins to be refused', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const { warnings } = await suite.operate({ driftMs: 100 });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    const asked = () => workspace.proxy.requests.length;
    for (const round of [1, 2]) {
      workspace.proxy.fault = () => ({ answer: 401 });
      const said = await space.reason('Workspace', 'workspace', 'Refused');
      const [before, refused] = [asked(), `${space.name}: Workspace/workspace: ${said}`];
      await until(() => asked() >= before + 3, 'more looks for drift');
      const own = warnings.filter((line) => line.startsWith(`${space.name}: `));
      assert.deepEqual(
        own,
        Array.from({ length: round }, () => refused),
      );
      workspace.proxy.fault = () => undefined;
      await space.reason('Workspace', 'workspace', 'Converged');
    }
  });

  it('do not say Converged while their Secret may not be read any more, and go on once it may', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
    // A right that is taken away ends no watch that is open.
    suite.all.proxy.fault = ({ path }) => (path.includes('/secrets') ? forbidden('secrets') : undefined);
    suite.all.proxy.cut();
    assert.match(
      await space.reason('Workspace', 'workspace', 'SecretNotFound'),
      /rolecall-key cannot be read: .*tenant/,
    );
    const asked = workspace.proxy.requests.length;
    await space.create('Person', 'grace', person('grace'));
    await space.reason('Person', 'grace', 'WorkspaceNotReady');
    assert.equal(workspace.proxy.requests.length, asked, 'the key was used');
    suite.all.proxy.fault = () => undefined;
    await space.reason('Workspace', 'workspace', 'Converged');
    await space.reason('Person', 'grace', 'Converged');
  });

  it('keep their key while the API server is away for a moment', async () => {
    const space = await suite.all.namespace();
    await suite.operate({ namespace: space.name });
    await space.reason('Workspace', 'workspace', 'Converged');
    suite.all.proxy.fault = ({ path }) => (path.includes('/secrets') ? { answer: 503 } : undefined);
    suite.all.proxy.cut();
    await space.create('Person', 'kept', person('kept'));
    await space.reason('Person', 'kept', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
  });

  it('say that objects of theirs may not be written, as long as that is so', async () => {
    const space = await suite.all.namespace();
    const { warnings } = await suite.operate({ namespace: space.name });
    await space.reason('Workspace', 'workspace', 'Converged');
    suite.all.proxy.fault = ({ path }) =>
      path.endsWith('/status') && path.includes('/people') ? forbidden('people/status') : undefined;
    for (const name of ['one', 'two']) await space.create('Person', name, person(name));
    assert.match(
      await space.reason('Workspace', 'workspace', 'WriteForbidden'),
      /cannot patch resource "people\/status"/,
    );
    const from = suite.all.proxy.requests.length;
    const tries = () => suite.all.proxy.requests.slice(from).filter(({ path }) => path.includes('/people/')).length;
    await until(() => tries() > 4, 'more tries');
    assert.equal(warnings.filter((line) => line.includes('people/status')).length, 1, 'it is said once');
    suite.all.proxy.fault = () => undefined;
    await space.reason('Workspace', 'workspace', 'Converged');
    for (const name of ['one', 'two']) await space.reason('Person', name, 'Converged');
  });

  it('have a call that fails again and again named in the log once, with the id of its first request', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const { warnings } = await suite.operate({ namespace: space.name });
    let tries = 0;
    workspace.proxy.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/person')) return undefined;
      tries += 1;
      return { answer: 409, body: problemBody('username_taken', 'another person has it', { requestId: `r-${tries}` }) };
    };
    await space.create('Person', 'ada', person('ada'));
    await until(() => tries > 3, 'more tries');
    assert.deepEqual(
      warnings.filter((line) => line.includes('createPerson')).map((line) => /request id r-\d/.exec(line)?.[0]),
      ['request id r-1'],
    );
  });

  it('take nothing over when a second one comes, and the first one waits for what it had', async () => {
    const space = await start();
    await space.create('Person', 'mine', person('mine'));
    await space.reason('Person', 'mine', 'Converged');
    const other = await suite.startWorkspace();
    const spec = { url: other.proxy.url, credentialsFrom: { secretKeyRef: { name: 'rolecall-key' } } };
    await space.create('Workspace', 'second', spec);
    assert.match(await space.reason('Person', 'mine', 'WorkspaceAmbiguous'), /delete the Workspace that was added/);
    await space.create('Person', 'new', person('new'));
    assert.match(await space.reason('Person', 'new', 'WorkspaceAmbiguous'), /create it again with spec\.workspaceRef/);
    await space.remove('Workspace', 'workspace');
    assert.match(await space.reason('Workspace', 'workspace', 'Waiting'), /delete the other Workspaces/);
    await space.remove('Person', 'mine');
    await space.remove('Workspace', 'second');
    await space.gone('Person', 'mine');
    assert.equal(await there('mine'), false);
    await space.remove('Person', 'new');
    await space.gone('Workspace', 'workspace');
  });

  it('that are not valid leave the statuses of their objects alone, and are named to new ones', async () => {
    const space = await start();
    await space.create('Person', 'kept', person('kept'));
    await space.reason('Person', 'kept', 'Converged');
    await space.patch('Workspace', 'workspace', { metadata: { annotations: { 'rolecall.dev/owner': 'me' } } });
    await space.reason('Workspace', 'workspace', 'Invalid');
    await space.create('Person', 'next', person('next'));
    const said = await space.reason('Person', 'next', 'WorkspaceNotReady');
    assert.match(said, /^Workspace\/workspace is not valid/);
    assert.equal(readyOf(await space.get('Person', 'kept'))?.reason, 'Converged');
    await space.patch('Workspace', 'workspace', { metadata: { annotations: { 'rolecall.dev/owner': null } } });
    await space.reason('Person', 'next', 'Converged');
  });

  it('that come after their objects and cannot be used yet are named to them', async () => {
    const space = await start();
    await space.remove('Workspace', 'workspace');
    await space.gone('Workspace', 'workspace');
    await space.create('Person', 'early', person('early'));
    assert.doesNotMatch(await space.reason('Person', 'early', 'WorkspaceNotFound'), /released/);
    const { url } = suite.all.workspace.proxy;
    await space.create('Workspace', 'late', { url, credentialsFrom: { secretKeyRef: { name: 'none' } } });
    assert.match(await space.reason('Person', 'early', 'WorkspaceNotReady'), /Secret none/);
    await space.reason('Workspace', 'late', 'SecretNotFound');
    const { conditions } = (await space.get('Workspace', 'late'))!.status as { conditions: { type: string }[] };
    assert.deepEqual(
      conditions.map(({ type }) => type),
      ['Ready', 'Reconciling'],
    );
  });

  it('say what they wait for while they are being deleted', async () => {
    const space = await start();
    await space.create('Person', 'shielded', person('shielded'), { 'rolecall.dev/protected': 'true' });
    await space.reason('Person', 'shielded', 'Converged');
    await space.remove('Workspace', 'workspace');
    const said = await space.reason('Workspace', 'workspace', 'Waiting');
    assert.match(said, /These are not being deleted: Person\/shielded\./);
    await space.remove('Person', 'shielded');
    await until(
      async () => /Person\/shielded/.test(readyOf(await space.get('Workspace', 'workspace'))?.message ?? ''),
      'the name of what the Workspace waits for',
    );
    await space.patch('Person', 'shielded', { metadata: { annotations: { 'rolecall.dev/protected': null } } });
    await space.gone('Workspace', 'workspace');
    assert.equal(await there('shielded'), false);
  });

  it('have a person removed whose older declaration went first, though a rail held the younger back', async () => {
    const space = await start();
    await space.create('Person', 'older', person('twin'));
    await space.reason('Person', 'older', 'Converged');
    // A second of the API server's time lies between them, so that they have an age.
    await until(async () => {
      const made = (await space.get('Person', 'older'))!.metadata as { creationTimestamp?: string };
      return Date.now() >= Date.parse(made.creationTimestamp ?? '') + 1000;
    }, 'another second');
    await space.create('Person', 'younger', { ...person('TWIN'), name: 'Other', email: 'other-twin@example.com' });
    await space.reason('Person', 'younger', 'Conflict');
    await space.remove('Person', 'older');
    await space.gone('Person', 'older');
    await space.reason('Person', 'younger', 'Converged');
    assert.equal(await there('twin'), true);
    await space.remove('Person', 'younger');
    await space.gone('Person', 'younger');
    assert.equal(await there('twin'), false);
  });
});
