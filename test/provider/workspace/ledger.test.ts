import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enterMemberships, listOf } from '../../../provider/resources/role/handover.ts';
import { Ledger } from '../../../provider/workspace/ledger.ts';
import type { State } from '../../../provider/workspace/meetings.ts';
import { dataSourceMember, personMember } from '../../../provider/workspace/members.ts';
import { openWorkspace } from '../support/workspace.ts';

const ada = { type: 'rolecall_person', id: '7', what: 'the person ada' };

/** States that may not meet, and the summary of the refusal. */
const meetings: readonly [State, State, RegExp][] = [
  ['held', 'held', /Two resources manage the person ada:/],
  ['addressed', 'addressed', /Two people with the e-mail address the person ada:/],
  ['kept', 'kept', /Two resources manage the person ada:/],
  ['kept', 'meant', /Two resources manage the person ada: .* \(id 7\)/],
  ['kept', 'arriving', /Another resource gives the person ada up:/],
  ['kept', 'leaving', /Two addresses for the person ada:/],
  ['arriving', 'leaving', /Two addresses for the person ada:/],
];

const listMeetings: readonly [State, State, RegExp][] = [
  ['listed', 'single', /: A rolecall_role_people and a rolecall_role_person have the role_id r\./],
  ['listed', 'listed', /: Two rolecall_role_people have the role_id r\./],
  ['listed', 'leaving', /Two addresses for the list of the people in the role r:/],
];

/** A resource that gives memberships of ada and bo up, one that takes some, and the member whom a refusal names. */
const handovers: readonly {
  from: 'list' | 'single';
  to: 'list' | 'single';
  taken: readonly (string | undefined)[];
  member: string | undefined;
}[] = [
  { from: 'list', to: 'single', taken: ['bo'], member: 'bo' },
  { from: 'list', to: 'single', taken: ['di'], member: undefined },
  { from: 'list', to: 'single', taken: [undefined], member: 'ada' },
  { from: 'single', to: 'list', taken: ['cy', 'ada'], member: 'ada' },
  { from: 'single', to: 'list', taken: ['cy', undefined], member: 'ada' },
  { from: 'list', to: 'list', taken: ['bo'], member: 'bo' },
  // They meet by their ids.
  { from: 'single', to: 'single', taken: ['ada'], member: undefined },
];

describe('the ledger of a command', () => {
  for (const [one, other, message] of meetings) {
    it(`refuses an object that is ${one} and ${other}, in either order`, async () => {
      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        const ledger = new Ledger();
        await ledger.enter(ada, first);
        await ledger.enter({ ...ada, type: 'rolecall_role' }, second);
        await ledger.enter({ ...ada, id: '8' }, second);
        await assert.rejects(ledger.enter(ada, second), message);
      }
    });
  }

  for (const [one, other, message] of listMeetings) {
    it(`refuses a list that is ${one} and ${other}, in either order`, async () => {
      const workspace = openWorkspace(undefined);
      const { ledger } = workspace;
      const list = listOf(personMember, 'r', workspace);
      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        ledger.beginAgain('read');
        await ledger.enter(list, first, 'a');
        await assert.rejects(ledger.enter(list, second, 'b', 'b'), message);
      }
    });
  }

  it('lets a resource that is planned twice enter its state again', async () => {
    const ledger = new Ledger();
    await ledger.enter(ada, 'held', '7');
    await ledger.enter(ada, 'held', '7', '7');
    await assert.rejects(ledger.enter(ada, 'held', '8', '8'), /Two resources/);
    // The first one has it all the same.
    await ledger.enter(ada, 'held', '7', '7');
  });

  it('lets an object be made again that is removed already', async () => {
    const ledger = new Ledger();
    await ledger.enter(ada, 'leaving');
    ledger.note(ada, 'removed');
    await ledger.enter(ada, 'arriving');
    ledger.withdraw(ada, 'removed');
    await assert.rejects(ledger.enter(ada, 'arriving'), /Two addresses/);
  });

  it('remembers what was adopted until a refresh, and nothing else of the plan before', () => {
    const ledger = new Ledger();
    ledger.note(ada, 'adopted', 'removed');
    ledger.beginAgain('plan');
    assert.ok(ledger.has(ada, 'adopted') && !ledger.has(ada, 'removed'));
    ledger.beginAgain('read');
    assert.ok(!ledger.has(ada, 'adopted'));
  });
});

describe('the memberships that a plan gives up and takes', () => {
  for (const { from, to, taken, member } of handovers) {
    it(`show that a ${from} and a ${to} have ${member ?? 'none'} of ${taken.map((id) => id ?? 'an unknown one').join(' and ')}, whichever is planned first`, async () => {
      const members = ['ada', 'bo'];
      const refused = async (second: Promise<void>) => {
        if (member === undefined) await second;
        else
          await assert.rejects(second, new RegExp(`ends a rolecall_role_.* such as the person ${member}, as far as`));
      };
      const giver = openWorkspace(undefined);
      await enterMemberships(`given up by ${from}`, personMember, 'r', members, giver);
      await enterMemberships(`had by ${to}`, personMember, 's', taken, giver);
      await enterMemberships(`had by ${to}`, dataSourceMember, 'r', taken, giver);
      await refused(enterMemberships(`had by ${to}`, personMember, 'r', taken, giver));
      const taker = openWorkspace(undefined);
      await enterMemberships(`had by ${to}`, personMember, 'r', taken, taker);
      await refused(enterMemberships(`given up by ${from}`, personMember, 'r', members, taker));
    });
  }
});
