import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import { ask, type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

interface EventList {
  readonly items: readonly {
    readonly reason: string;
    readonly note: string;
    readonly regarding: { readonly name: string };
  }[];
}

describe('what others made in a workspace', () => {
  const suite = useInstallation();
  const driftMs = 200;

  it('is counted in the status of the Workspace, by collection, at no call more', async () => {
    const workspace = await suite.startWorkspace();
    for (const name of ['eve', 'mallory']) await workspace.client.call('createPerson', { body: person(name) });
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ driftMs });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    const undeclared = async () => (await space.get('Workspace', 'workspace'))?.status?.['undeclared'];
    await until(async () => JSON.stringify(await undeclared()) === '{"people":2}', 'both to be counted');
    const from = workspace.proxy.requests.length;
    for (const { id, username } of await workspace.client.call('listPeople', {})) {
      if (username === 'ada') continue;
      await workspace.client.call('lockPerson', { params: { person: id } });
      await workspace.client.call('deletePerson', { params: { person: id } });
    }
    await until(async () => (await undeclared()) === undefined, 'none to be left');
    const asked = new Set(workspace.proxy.requests.slice(from).map(({ method, path }) => `${method} ${path}`));
    assert.deepEqual([...asked], ['GET /api/v2/snapshot']);
  });

  it('is put right with an Event that names the other manager', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ driftMs });
    await space.create('Person', 'ada', person('ada'));
    await space.reason('Person', 'ada', 'Converged');
    const { key, proxy } = workspace;
    const terraform = createClient({
      ...{ url: proxy.url, keyId: key.id, keySecret: key.secret },
      manager: 'terraform/production',
    });
    const from = proxy.requests.length;
    const [ada] = await workspace.client.call('listPeople', {});
    await terraform.call('lockPerson', { params: { person: ada?.id ?? '' } });
    await terraform.close();
    const events = `/apis/events.k8s.io/v1/namespaces/${space.name}/events`;
    const corrected = async () =>
      (await ask<EventList & KubeObject>(suite.all.kube, 'GET', events)).items.find(
        ({ reason }) => reason === 'Corrected',
      );
    await until(async () => (await corrected()) !== undefined, 'the Event');
    assert.match(
      (await corrected())?.note ?? '',
      /^Unlock .*\. terraform\/production last wrote it at 2\S+: let only one/i,
    );
    const asked = proxy.requests.slice(from).filter(({ path }) => path.endsWith('/manager'));
    assert.equal(asked.length, 1, 'who manages what is asked once, to put something right');
  });
});
