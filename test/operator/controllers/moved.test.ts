import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { moveTo } from '../support/move.ts';
import { useInstallation } from '../support/suite.ts';

describe('a Workspace that changes while a look at it is under way', requires('kubernetes'), () => {
  const suite = useInstallation();
  const lookMs = 1_500;

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    // Drift is looked for once an hour: nothing but what changed brings another look.
    await suite.operate();
    await space.create('Person', 'ada', person('ada'));
    await space.create('Role', 'watch', { people: ['ada'] });
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'watch', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
    return { space, workspace };
  }

  /** Asks for a look at the role alone, whose first call takes long. */
  async function beginLook(space: Namespace, { proxy }: Awaited<ReturnType<typeof start>>['workspace']) {
    proxy.fault = ({ path }) => (path.startsWith('/api/v2/person') ? { delayMs: lookMs } : undefined);
    const before = proxy.requests.length;
    const annotations = { 'rolecall.dev/reconcile-requested-at': 'now' };
    await space.patch('Role', 'watch', { metadata: { annotations } });
    await until(() => proxy.requests.length > before, 'the look');
  }

  it('has all of its objects compared with the other workspace, also those that the look took along', async () => {
    const { space, workspace } = await start();
    const other = await suite.startWorkspace();
    const { id } = await other.client.call('createPerson', { body: person('ada') });
    await other.client.call('lockPerson', { params: { person: id } });
    await beginLook(space, workspace);
    await moveTo(suite.all.kube, space, other);
    await until(async () => (await other.client.call('listRoles', {})).length === 1, 'the role');
    await until(async () => !(await other.client.call('getPerson', { params: { person: id } })).isLocked);
    assert.equal((await other.client.call('listPeople', {})).length, 1);
  });
});
