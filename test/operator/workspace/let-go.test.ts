import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWatch } from '../../support/kubernetes/fault-proxy.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('an object that was let go', () => {
  const suite = useInstallation();

  it('is not written again, though the watch has not told yet that it is gone', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const held: (() => void)[] = [];
    suite.all.proxy.fault = (request) => {
      if (!isWatch(request) || !request.path.includes('/people')) return undefined;
      return {
        events: {
          event: (event, send) => {
            if (event.type === 'DELETED')
              held.push(() => {
                send(event);
              });
            else send(event);
          },
        },
      };
    };
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    const from = suite.all.proxy.requests.length;
    await space.remove('Person', 'ada');
    await space.gone('Person', 'ada');
    await until(() => held.length === 1, 'the event');
    // Two plans of the workspace: the first may have begun before the answer to the write.
    for (const name of ['bob', 'eve']) {
      await space.create('Person', name, person(name));
      await space.reason('Person', name, 'Converged');
    }
    for (const tell of held) tell();
    const written = suite.all.proxy.requests
      .slice(from)
      .filter(({ method, path }) => method === 'PATCH' && path.includes('/ada'));
    assert.equal(written.length, 1);
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    assert.equal((await workspace.client.call('listPeople', {})).length, 3);
  });
});
