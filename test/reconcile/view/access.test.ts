import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AccessFacts,
  createView,
  effectiveAccess,
  type Grant,
  grantState,
  listGrants,
  readAccessFacts,
} from '@rolecall/reconcile';
import { dataSource, describeReadings, permission, person, role, useWorkspace } from '../support.ts';

const none: AccessFacts = { people: [], dataSources: [], roles: [], permissions: [] };
const ada = { key: 'ada', username: 'ada', name: 'Ada', isLocked: false };
const billing = { key: 'billing', alias: 'billing', name: 'Billing' };
const window = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-02-01T00:00:00.000Z' };
const granted = { key: '1', person: 'ada', dataSource: 'billing', ...window };
const analysts = { key: 'r', name: 'analysts', people: [{ key: 'ada' }], dataSources: [{ key: 'billing' }] };

const reaches = (facts: AccessFacts, at: string): string[] =>
  effectiveAccess(facts, new Date(at)).map(
    (access) => `${access.person} ${access.dataSource} by ${access.grants.map(nameWay).join(', ')}`,
  );
const nameWay = ({ way }: Grant): string => (way.kind === 'role' ? way.role : way.permission);

describe('effective access', () => {
  it('holds from the start of a permission to the moment before its end', () => {
    const facts = { ...none, people: [ada], dataSources: [billing], permissions: [granted] };
    assert.deepEqual(reaches(facts, '2025-12-31T23:59:59.999Z'), []);
    assert.deepEqual(reaches(facts, '2026-01-01T00:00:00.000Z'), ['ada billing by 1']);
    assert.deepEqual(reaches(facts, '2026-01-31T23:59:59.999Z'), ['ada billing by 1']);
    assert.deepEqual(reaches(facts, '2026-02-01T00:00:00.000Z'), []);
  });

  it('names every way by which a person reaches a data source, once', () => {
    const facts = { people: [ada], dataSources: [billing], roles: [analysts], permissions: [granted] };
    assert.deepEqual(reaches(facts, '2026-01-15T00:00:00.000Z'), ['ada billing by r, 1']);
    assert.deepEqual(reaches(facts, '2026-03-01T00:00:00.000Z'), ['ada billing by r']);
  });

  it('is nothing for who is locked', () => {
    const people = [{ ...ada, isLocked: true }];
    const facts = { people, dataSources: [billing], roles: [analysts], permissions: [granted] };
    assert.deepEqual(reaches(facts, '2026-01-15T00:00:00.000Z'), []);
  });

  it('begins by a role when the later of the two came into it', () => {
    const people = [{ key: 'ada', assignedAt: '2026-01-01T00:00:00.000Z' }];
    const dataSources = [{ key: 'billing', assignedAt: '2026-01-05T00:00:00.000Z' }];
    const facts = { ...none, people: [ada], dataSources: [billing], roles: [{ ...analysts, people, dataSources }] };
    assert.deepEqual(reaches(facts, '2026-01-04T00:00:00.000Z'), []);
    assert.deepEqual(reaches(facts, '2026-01-05T00:00:00.000Z'), ['ada billing by r']);
    const unknown = { ...analysts, people, dataSources: [{ key: 'billing' }] };
    assert.deepEqual(
      [...listGrants({ ...facts, roles: [unknown] })].map(({ startsAt }) => startsAt),
      ['2026-01-01T00:00:00.000Z'],
    );
  });

  it('leaves out what refers to a person or data source that went meanwhile', () => {
    const facts = { people: [ada], dataSources: [billing], roles: [analysts], permissions: [granted] };
    assert.deepEqual(reaches({ ...facts, people: [] }, '2026-01-15T00:00:00.000Z'), []);
    assert.deepEqual(reaches({ ...facts, dataSources: [] }, '2026-01-15T00:00:00.000Z'), []);
  });

  it('tells past, active and future grants apart', () => {
    const states = ['2025-12-31', '2026-01-01', '2026-02-01'].map((day) => grantState(window, new Date(day)));
    assert.deepEqual(states, ['future', 'active', 'past']);
    assert.equal(grantState({}, new Date()), 'active');
  });
});

describeReadings('reading what decides access', (workspace, reading) => {
  it('says what the service itself says, for everybody', async () => {
    await workspace.apply([
      person('ada'),
      person('grace'),
      person('tom', { locked: true }),
      dataSource('billing'),
      dataSource('shipping'),
      dataSource('stock'),
      role('analysts', { people: ['ada', 'tom'], dataSources: ['billing', 'shipping'] }),
      role('empty', { people: ['grace'], dataSources: [] }),
      permission('ada', 'billing'),
      permission('grace', 'stock'),
      permission('grace', 'shipping', { startsAt: '2090-01-01T00:00:00.000Z' }),
    ]);
    const facts = await readAccessFacts(workspace.createView());
    // The service lists what a lock keeps a person from, too.
    const unlocked = { ...facts, people: facts.people.map((one) => ({ ...one, isLocked: false })) };
    const computed = effectiveAccess(unlocked, new Date()).map(({ person, dataSource }) => `${person} ${dataSource}`);
    const told: string[] = [];
    for (const { key } of facts.people) {
      const reached = await workspace.client.call('listPersonDataSources', { params: { person: key } });
      told.push(...reached.map(({ id }) => `${key} ${id}`));
    }
    assert.equal(told.length, 5);
    assert.deepEqual(computed.sort(), told.sort());
  });

  it('costs one call, or one list a collection and two a role', async () => {
    await workspace.apply([role('one'), role('two'), person('ada'), person('tom'), dataSource('a'), dataSource('b')]);
    workspace.takeCalls();
    await readAccessFacts(workspace.createView());
    const lists = [
      'listDataSources',
      'listPeople',
      'listPermissions',
      ...Array<string>(2).fill('listRoleDataSources'),
      ...Array<string>(2).fill('listRolePeople'),
      'listRoles',
    ];
    assert.deepEqual(workspace.takeCalls().sort(), reading === 'in one call' ? ['readSnapshot'] : lists);
  });
});

describe('the members of roles, read by lists', () => {
  const workspace = useWorkspace();

  it('are read by the side that takes fewer calls, and are the same', async () => {
    const names = Array.from({ length: 4 }, (_, index) => `role${index}`);
    await workspace.apply([
      person('ada'),
      dataSource('billing'),
      ...names.map((name, index) => role(name, { people: index > 1 ? ['ada'] : [], dataSources: ['billing'] })),
    ]);
    workspace.takeCalls();
    const facts = await readAccessFacts(workspace.createView());
    assert.deepEqual(
      workspace.takeCalls().filter((call) => /Role[DP]|(Person|Source)Roles$/.test(call)),
      ['listPersonRoles', 'listDataSourceRoles'],
    );
    assert.deepEqual(await readAccessFacts(createView(workspace.client, { isWhole: true })), facts);
  });
});
