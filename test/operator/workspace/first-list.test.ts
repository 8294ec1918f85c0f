import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWrite, type ProxiedRequest } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('while objects are listed for the first time', () => {
  const suite = useInstallation();

  /** A converged person in an exact workspace, and another operator that cannot list one kind until `release` is called. */
  async function restart(plural: string) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ exact: ['people'], rails: { maxRemovalPercent: 100 } }, workspace);
    const first = await suite.operate();
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    await first.stop();
    const { proxy } = suite.all;
    const [before, called] = [proxy.requests.length, workspace.proxy.requests.length];
    const isList = ({ path }: ProxiedRequest): boolean => path.endsWith(`/${plural}`);
    proxy.fault = (request) => (isList(request) ? { answer: 503 } : undefined);
    const seen = { isListed: false };
    await suite.operate({
      onListed: () => {
        seen.isListed = true;
      },
    });
    const requests = () => proxy.requests.slice(before);
    return {
      ...{ space, requests, seen },
      calls: () => workspace.proxy.requests.slice(called),
      /** Resolves once the list has failed so many times. */
      refused: (times: number) => until(() => requests().filter(isList).length >= times, 'lists'),
      release: () => {
        proxy.fault = () => undefined;
      },
      usernames: async () => (await workspace.client.call('listPeople', {})).map(({ username }) => username),
    };
  }

  it('the workspace is read already, and nothing is removed for being missing', async () => {
    const { space, calls, refused, release, usernames, seen } = await restart('people');
    await until(() => calls().some(({ path }) => path.startsWith('/api/v2/snapshot')), 'the workspace to be read');
    await refused(3);
    assert.deepEqual([calls().filter(isWrite), seen.isListed], [[], false]);
    release();
    await space.create('Person', 'next', person('next'));
    await space.reason('Person', 'next', 'Converged');
    assert.deepEqual([(await usernames()).sort(), seen.isListed], [['ada', 'next'], true]);
  });

  it('no object is told that its Workspace is missing', async () => {
    const { space, requests, refused, release } = await restart('workspaces');
    await refused(3);
    assert.deepEqual(
      requests().filter((one) => isWrite(one) && one.path.includes('/people/')),
      [],
    );
    release();
    await space.create('Person', 'next', person('next'));
    await space.reason('Person', 'next', 'Converged');
  });
});
