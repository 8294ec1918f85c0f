import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('a call that a list and a membership share', () => {
  const suite = useInstallation();
  const role = { people: ['ada'], dataSources: ['x'] };
  const objects = {
    role: ['Role', 'r', role],
    'a membership of a person': ['RoleMembership', 'm', { role: 'r', person: 'ada' }],
    'a membership of a data source': ['RoleMembership', 'm', { role: 'r', dataSource: 'x' }],
  } as const;

  for (const [member, call] of [
    ['a membership of a person', /^\/api\/v2\/role\/\w+\/person\/\w+$/],
    ['a membership of a data source', /^\/api\/v2\/role\/\w+\/data-source\/\w+$/],
  ] as const) {
    for (const first of ['role', member] as const) {
      it(`fails for both of them: ${member}, where ${first === 'role' ? 'the role' : 'it'} came first`, async () => {
        const workspace = await suite.startWorkspace();
        const space = await suite.all.namespace({}, workspace);
        await space.create('Person', 'ada', person('ada'));
        await space.create('DataSource', 'x', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' });
        for (const each of first === 'role' ? (['role', member] as const) : ([member, 'role'] as const)) {
          const [kind, name, spec] = objects[each];
          await space.create(kind, name, spec);
        }
        workspace.proxy.fault = ({ method, path }) =>
          method !== 'GET' && call.test(path) ? { answer: 503 } : undefined;
        await suite.operate({ namespace: space.name });
        const said = async () => {
          const [one, other] = [await space.get('Role', 'r'), await space.get('RoleMembership', 'm')];
          return [one, other].map((each) => (each === undefined ? undefined : readyOf(each))?.status);
        };
        await until(async () => (await said()).every((status) => status !== undefined), 'both have a status');
        await until(async () => (await said()).includes('False'));
        assert.deepEqual(await said(), ['False', 'False']);
        workspace.proxy.fault = () => undefined;
        await space.reason('Role', 'r', 'Converged');
        await space.reason('RoleMembership', 'm', 'Converged');
      });
    }
  }
});
