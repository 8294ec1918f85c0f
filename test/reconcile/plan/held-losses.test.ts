import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converge, type DesiredObject, type DesiredRole, type DesiredState, makePlan } from '@rolecall/reconcile';
import { MemoryWorkspace } from '../order/memory-workspace.ts';
import { dataSource, membership, optionsOf, permission, person, role, stateOf } from '../support.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const past = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-02-01T00:00:00.000Z' };
const current = { startsAt: '2026-05-01T00:00:00.000Z', expiresAt: '2026-09-01T00:00:00.000Z' };
const rails = { maxRemovalPercent: 15, minimumRemoval: 10 };

const named = (word: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${word}${index}`);
const members = named('member', 20);
const sources = named('source', 4);
const crowd = named('other', 300);
const everyone = members.map((name) => person(name));

/** Each refusal that counts what goes, with what makes it the one that counts: the others are overridden. */
const refusing: Readonly<Record<string, { guard?: Partial<DesiredRole>; isSmall?: true; holdsRemovals?: true }>> = {
  'removal-share:access': { isSmall: true, holdsRemovals: true },
  'removal-share:access/billing': {},
  'removal-share:permissions': {},
  'critical:DataSource/billing': { guard: { critical: true } },
  'critical:Role/finance': { guard: { critical: true } },
  'last-member:Role/finance': { guard: { protected: true } },
};
const [whole, ofSource, ofPermissions, criticalSource, criticalRole, lastMember] = Object.keys(refusing);

interface Taking {
  before: readonly DesiredObject[];
  after: readonly DesiredObject[];
  exact?: DesiredState['exact'];
  windows?: readonly { startsAt: string; expiresAt: string }[];
  by: readonly (string | undefined)[];
}

const finance = (more: Partial<DesiredRole> = {}) => role('finance', { dataSources: ['billing'], ...more });
const full = [...everyone, finance({ people: members })];
const permissions = members.map((name, index) => permission(name, sources[index % 4] ?? ''));
const permitted = [...everyone, ...sources.map((alias) => dataSource(alias)), ...permissions];
const without = (objects: readonly DesiredObject[], kind: DesiredObject['kind']) =>
  objects.filter((object) => object.kind !== kind);
const locked = (objects: readonly DesiredObject[]) =>
  objects.map((object) => (object.kind === 'Person' ? { ...object, locked: true } : object));

const taking: Readonly<Record<string, Taking>> = {
  'the role loses its people': {
    ...{ before: full, after: [...everyone, finance({ people: [] })] },
    by: [whole, ofSource, criticalSource, criticalRole, lastMember],
  },
  'their times in the role are over': {
    ...{ before: full, windows: [past, current] },
    after: [...everyone, finance(), ...members.map((name) => membership('finance', name, { window: past }))],
    by: [whole, ofSource, criticalSource, criticalRole, lastMember],
  },
  'they are locked': {
    ...{ before: full, after: locked(full) },
    by: [whole, ofSource, criticalSource, criticalRole, lastMember],
  },
  'they are deleted': {
    ...{ before: full, after: [finance()], exact: ['people'] },
    by: [whole, ofSource, criticalSource, criticalRole, lastMember],
  },
  'the role is deleted': {
    ...{ before: full, after: everyone, exact: ['roles'] },
    by: [whole, ofSource, criticalSource],
  },
  'the role loses the data source': {
    ...{ before: full, after: [...everyone, finance({ people: members, dataSources: [] })] },
    by: [whole, ofSource, criticalSource],
  },
  'their permissions end': {
    ...{ before: permitted, after: without(permitted, 'Permission'), exact: ['permissions'] },
    by: [whole, ofPermissions],
  },
  'those with permissions are locked': {
    ...{ before: permitted, after: locked(permitted) },
    by: [whole, ofPermissions],
  },
  'those with permissions are deleted': {
    ...{ before: permitted, after: without(without(permitted, 'Permission'), 'Person'), exact: ['people'] },
    by: [whole, ofPermissions],
  },
  'the data sources of permissions are deleted': {
    ...{ before: permitted, after: everyone, exact: ['dataSources'] },
    by: [whole, ofPermissions],
  },
};

describe('what a refusal counts as a loss does not run', () => {
  for (const [way, { before, after, exact = [], windows, by }] of Object.entries(taking)) {
    for (const token of by.flatMap((one) => one ?? [])) {
      it(`${token}, where ${way}`, async () => {
        const { guard = {}, isSmall = false, holdsRemovals = false } = refusing[token] ?? {};
        const rest = isSmall
          ? [dataSource('billing')]
          : [
              ...crowd.map((name) => person(name)),
              dataSource('wiki'),
              dataSource('billing', token === criticalSource ? { critical: true } : {}),
              role('everyone', { people: crowd, dataSources: ['wiki'] }),
            ];
        const guarded = after.map((one) =>
          one.kind === 'Role' && token.includes('Role/') ? { ...one, ...guard } : one,
        );
        const workspace = new MemoryWorkspace(now);
        const made = await makePlan(stateOf([...rest, ...before], {}), workspace.view, optionsOf({ now }));
        await converge(made, workspace.client, optionsOf({ now }));
        const inFinance = [...workspace.roles.values()].find(({ name }) => name === 'finance')?.people ?? new Map();
        if (windows !== undefined) for (const id of [...inFinance.keys()]) inFinance.set(id, windows);
        const reached = workspace.reached();
        const overrides = ['removal-share:people', ...Object.keys(refusing).filter((one) => one !== token)];
        const plan = await makePlan(stateOf([...rest, ...guarded], { exact, rails }), workspace.view, {
          ...optionsOf({ now, overrides }),
          isOneByOne: holdsRemovals,
        });
        assert.deepEqual(
          plan.refusals.map(({ override }) => override),
          [token],
        );
        await converge(plan, workspace.client, optionsOf({ now }));
        assert.deepEqual(workspace.reached(), reached);
      });
    }
  }
});
