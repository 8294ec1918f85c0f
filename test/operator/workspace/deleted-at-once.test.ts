import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const place = (space: Namespace, name: string) => `/apis/rolecall.dev/v1alpha1/namespaces/${space.name}/people/${name}`;

/** As kube-apiserver does now and then: `MemoryApiserver.deleteAtOnce`. */
describe('an object that the API server deletes in spite of its finalizer', () => {
  const suite = useInstallation();

  async function start(annotations: Record<string, string> = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const operator = await suite.operate({ namespace: space.name });
    await space.create('Person', 'ada', person('ada'), annotations);
    await space.reason('Person', 'ada', 'Converged');
    const deleteAtOnce = (): void => {
      suite.all.server.deleteAtOnce(place(space, 'ada'));
    };
    return { workspace, space, operator, deleteAtOnce };
  }
  const emails = async ({ client }: TestWorkspace) =>
    (await client.call('listPeople', {})).map(({ email }) => email).sort();

  it('is removed from the workspace all the same', async () => {
    const { workspace, deleteAtOnce } = await start();
    deleteAtOnce();
    await until(async () => (await emails(workspace)).length === 0, 'the removal');
  });

  it('is removed before another one of its name is made, which is no change of it', async () => {
    const { workspace, space, operator, deleteAtOnce } = await start();
    for (let round = 1; round <= 5; round += 1) {
      deleteAtOnce();
      const email = `ada${round}@example.com`;
      await space.create('Person', 'ada', { ...person('ada'), email });
      await space.reason('Person', 'ada', 'Converged');
      assert.deepEqual(await emails(workspace), [email]);
    }
    assert.deepEqual(operator.warnings, []);
  });

  it('is removed after the service was away for a while', async () => {
    const { workspace, space, deleteAtOnce } = await start();
    workspace.proxy.fault = ({ method }) => (method === 'GET' ? undefined : { answer: 503 });
    deleteAtOnce();
    await space.create('Person', 'ada', { ...person('ada'), email: 'other@example.com' });
    const from = workspace.proxy.requests.length;
    await until(() => workspace.proxy.requests.slice(from).filter(isWrite).length > 3, 'tries');
    workspace.proxy.fault = () => undefined;
    await space.reason('Person', 'ada', 'Converged');
    assert.deepEqual(await emails(workspace), ['other@example.com']);
  });

  it('stays in the workspace where it is protected, and the log says so', async () => {
    const { workspace, space, operator, deleteAtOnce } = await start({ 'rolecall.dev/protected': 'true' });
    deleteAtOnce();
    await until(() => operator.warnings.some((line) => line.includes('stays in the workspace')), 'the warning');
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    assert.deepEqual(await emails(workspace), ['ada@example.com']);
  });

  it('is left in the workspace where only a list lacks it, as after a restored backup', async () => {
    const { workspace, space, deleteAtOnce } = await start();
    suite.all.proxy.fault = ({ path }) => (path.includes('watch=1') ? { answer: 500 } : undefined);
    suite.all.proxy.cut();
    await nextTurn();
    deleteAtOnce();
    suite.all.server.compact();
    suite.all.proxy.fault = () => undefined;
    await space.create('Person', 'grace', person('grace'));
    await space.reason('Person', 'grace', 'Converged');
    assert.deepEqual(await emails(workspace), ['ada@example.com', 'grace@example.com']);
  });
});

describe('an object that is deleted', () => {
  const suite = useInstallation();

  it('while its status is being written is removed as soon as that is done', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    let isWriting = false;
    suite.all.proxy.fault = ({ path }) => {
      if (!path.endsWith('/people/ada/status')) return undefined;
      isWriting = true;
      return { delayMs: 2_500 };
    };
    await space.create('Person', 'ada', person('ada'));
    await until(() => isWriting, 'the writing');
    await space.remove('Person', 'ada');
    await space.gone('Person', 'ada');
    assert.deepEqual(await workspace.client.call('listPeople', {}), []);
  });

  it('and made again while a write of the first one is under way is not held up by that', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const operator = await suite.operate({ namespace: space.name });
    let writes = 0;
    suite.all.proxy.fault = ({ path }) => {
      if (!path.endsWith('/people/ada/status')) return undefined;
      writes += 1;
      return writes === 1 ? { delayMs: 500 } : undefined;
    };
    // Nothing keeps it: it needs no finalizer.
    await space.create('Person', 'ada', { ...person('ada'), managementPolicy: 'Observe' });
    await until(() => writes === 1, 'the writing');
    await space.remove('Person', 'ada');
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    assert.deepEqual(operator.warnings, []);
  });
});
