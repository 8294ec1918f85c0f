import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describeDenial } from '../../../server/access/describe-denial.ts';
import { type Facts, type Grant, reachAt } from '../../../server/access/reach.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const horizon = 24;

const grant = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: horizon }), fc.integer({ min: 0, max: horizon }), fc.nat(99))
    .map(([from, until, id]): Grant => ({ through: 'permission', id: String(id), name: '', from, until })),
  fc.constant<Grant>({ through: 'role', id: 'r', name: 'analysts', from: -Infinity, until: Infinity }),
);

const facts: fc.Arbitrary<Facts> = fc.record({
  person: fc.constantFrom('present', 'present', 'present', 'locked', 'missing'),
  dataSource: fc.constantFrom('present', 'present', 'present', 'missing'),
  // Mostly permissions, or a role would cover nearly everything.
  grants: fc.array(grant, { maxLength: 6 }),
});

const covered = ({ grants }: Facts, at: number) => grants.some(({ from, until }) => from <= at && at < until);

describe('an answer of the gate', () => {
  it('agrees with a check at every moment', () => {
    fc.assert(
      fc.property(facts, fc.integer({ min: 0, max: horizon }), (known, at) => {
        const reach = reachAt(known, at);
        const open = known.person === 'present' && known.dataSource === 'present';
        assert.equal(reach.allowed, open && covered(known, at));
        if (!reach.allowed) return;
        for (let moment = at; moment < Math.min(reach.until, horizon + 1); moment += 1) {
          assert.ok(covered(known, moment), `not covered at ${moment}, before its end at ${reach.until}`);
        }
        if (reach.until !== Infinity) assert.ok(!covered(known, reach.until), 'covered at its end');
      }),
      { numRuns: propertyRuns({ quick: 400, all: 2000 }) },
    );
  });

  it('names the permission that ended last, and why else there is no access', () => {
    const permission = (id: string, from: number, until: number): Grant => ({
      through: 'permission',
      id,
      name: '',
      from,
      until,
    });
    const grants = [permission('1', 0, 5), permission('2', 2, 9), permission('3', 20, 30), permission('4', 12, 8)];
    const at = (moment: number, more: Partial<Facts> = {}) =>
      reachAt({ person: 'present', dataSource: 'present', grants, ...more }, moment);
    assert.deepEqual(at(9), { allowed: false, reason: 'access_ended', grant: grants[1], next: grants[2] });
    assert.deepEqual(at(30), { allowed: false, reason: 'access_ended', grant: grants[2] });
    assert.deepEqual(at(-1), { allowed: false, reason: 'access_upcoming', grant: grants[0] });
    assert.deepEqual(at(-1, { grants: [] }), { allowed: false, reason: 'not_granted' });
    assert.deepEqual(at(3, { person: 'locked' }), { allowed: false, reason: 'person_locked' });
    assert.deepEqual(at(3, { person: 'missing' }), { allowed: false, reason: 'person_deleted' });
    assert.deepEqual(at(3, { dataSource: 'missing' }), { allowed: false, reason: 'data_source_deleted' });
  });
});

it('a person is told when their access ended, and when it begins', () => {
  const permission = (id: string, from: string, until: string): Grant => {
    return { through: 'permission', id, name: '', from: Date.parse(from), until: Date.parse(until) };
  };
  const grants = [
    permission('17', '2026-11-02T08:00:00.500Z', '2026-11-02T09:00:00.500Z'),
    permission('18', '2026-11-03T08:00:00Z', '2026-11-03T09:00:00Z'),
  ];
  const told = (at: string, of = grants) => {
    const reach = reachAt({ person: 'present', dataSource: 'present', grants: of }, Date.parse(at));
    return reach.allowed ? undefined : describeDenial(reach, { alias: 'shop', name: 'Shop' });
  };
  assert.equal(
    told('2026-11-01T00:00:00Z'),
    'your access to shop begins at 2026-11-02T08:00:00Z with the permission 17',
  );
  const ended = 'your access to shop ended at 2026-11-02T09:00:00Z with the permission 17';
  assert.equal(told('2026-11-02T10:00:00Z'), `${ended}; it begins again at 2026-11-03T08:00:00Z`);
  assert.equal(told('2026-11-02T10:00:00Z', grants.slice(0, 1)), ended);
});
