import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestFault } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('a person for whom a role waits', () => {
  const suite = useInstallation();

  /** Declares both; so many calls that make the person meet the fault. */
  async function start(fault: RequestFault, times: number) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate();
    await space.create('Role', 'watch', {});
    await space.reason('Role', 'watch', 'Converged');
    await space.patch('Role', 'watch', { spec: { people: ['ada'] } });
    await space.reason('Role', 'watch', 'MissingReference');
    // Once the role is made, objects that wait for it are reconciled again, a second later.
    await sleep(1_500);
    let tries = 0;
    workspace.proxy.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/person')) return undefined;
      tries += 1;
      return tries > times ? undefined : fault;
    };
    await space.create('Person', 'ada', person('ada'));
    return { space, workspace, tries: () => tries };
  }

  it('is tried in their own time, and not each time the role is looked at', async () => {
    const { tries } = await start({ answer: 409 }, Infinity);
    await sleep(10_000);
    // Half a second, and then twice as long each time, from half of that on: without the role, five or six.
    assert.ok(tries() >= 2 && tries() <= 8, `${tries()} tries`);
  });

  it('lets it go on once they are found to be there, though nothing had to be done', async () => {
    // A call is tried twice, and both make the person.
    const { space, tries } = await start('lost answer', 2);
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'watch', 'Converged');
    assert.equal(tries(), 2);
  });
});
