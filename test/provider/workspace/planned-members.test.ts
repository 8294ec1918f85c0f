import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Form, PlannedMembers } from '../../../provider/workspace/planned-members.ts';

/** Who gives a membership up, and who takes it, with the member that is found in either order. */
const handovers: readonly {
  from: Form;
  to: Form;
  taken: readonly (string | undefined)[];
  found: string | undefined;
}[] = [
  { from: 'list', to: 'single', taken: ['bo'], found: 'bo' },
  { from: 'list', to: 'single', taken: ['di'], found: undefined },
  { from: 'list', to: 'single', taken: [undefined], found: 'ada' },
  { from: 'single', to: 'list', taken: ['cy', 'ada'], found: 'ada' },
  { from: 'single', to: 'list', taken: ['cy', undefined], found: 'ada' },
  { from: 'list', to: 'list', taken: ['bo'], found: 'bo' },
  // They are found by their ids.
  { from: 'single', to: 'single', taken: ['ada'], found: undefined },
];

describe('the memberships that a plan gives up and takes', () => {
  for (const { from, to, taken, found } of handovers) {
    it(`show that a ${from} and a ${to} have ${found ?? 'none'} of ${taken.map((id) => id ?? 'an unknown one').join(' and ')}, whichever is planned first`, () => {
      const members = ['ada', 'bo'];
      const expected = found === undefined ? undefined : { from, to, role: 'r', member: found };
      const giver = new PlannedMembers();
      assert.equal(giver.giveUp('people', from, 'r', members), undefined);
      assert.equal(giver.take('people', to, 's', taken), undefined);
      assert.equal(giver.take('dataSources', to, 'r', taken), undefined);
      assert.deepEqual(giver.take('people', to, 'r', taken), expected);
      const taker = new PlannedMembers();
      assert.equal(taker.take('people', to, 'r', taken), undefined);
      assert.deepEqual(taker.giveUp('people', from, 'r', members), expected);
    });
  }

  it('are taken where a resource has them, whichever it is', () => {
    const planned = new PlannedMembers();
    planned.take('people', 'single', 'r', ['ada', undefined]);
    assert.ok(planned.isTaken('people', 'r', 'ada'));
    assert.ok(!planned.isTaken('people', 'r', 'bo') && !planned.isTaken('dataSources', 'r', 'ada'));
  });
});
