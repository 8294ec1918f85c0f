import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AccessFacts, effectiveAccess } from '@rolecall/reconcile';
import fc from 'fast-check';
import { compareReach } from '../../../reconcile/plan/access-loss.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const people = ['ada', 'grace', 'linus'];
const sources = ['billing', 'stock', 'wiki'];
const window = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' };

const facts: fc.Arbitrary<AccessFacts> = fc
  .record({
    locked: fc.subarray(people),
    there: fc.subarray(sources),
    roles: fc.array(fc.tuple(fc.subarray(people), fc.subarray(sources)), { maxLength: 3 }),
    permissions: fc.subarray(people.flatMap((person) => sources.map((dataSource) => ({ person, dataSource })))),
  })
  .map(({ locked, there, roles, permissions }) => ({
    people: people.map((key) => ({ key, username: key, name: key, isLocked: locked.includes(key) })),
    dataSources: there.map((key) => ({ key, alias: key, name: key })),
    roles: roles.map(([members, reached], index) => ({
      key: `r${index}`,
      name: `r${index}`,
      people: members.map((key) => ({ key })),
      dataSources: reached.map((key) => ({ key })),
    })),
    permissions: permissions.map((pair, index) => ({ key: `p${index}`, ...pair, ...window })),
  }));

const pairs = (one: AccessFacts): Set<string> =>
  new Set(effectiveAccess(one, now).map(({ person, dataSource }) => `${person} on ${dataSource}`));

it('what a run takes away is what is reached before it and not after it, for each data source too', () => {
  fc.assert(
    fc.property(facts, facts, (before, after) => {
      const { all, dataSources } = compareReach(before, after, now);
      const [had, has] = [pairs(before), pairs(after)];
      const lost = had.difference(has);
      assert.deepEqual([all.before, all.lost, all.gained], [had.size, lost.size, has.difference(had).size]);
      assert.deepEqual(new Set(all.names), lost);
      for (const [source, loss] of dataSources) {
        const of = (set: ReadonlySet<string>): number => [...set].filter((pair) => pair.endsWith(` ${source}`)).length;
        assert.deepEqual([loss.before, loss.lost], [of(had), of(lost)]);
      }
    }),
  );
});
