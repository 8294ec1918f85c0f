import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enterMemberships, listOf } from '../../../provider/resources/role/handover.ts';
import { Ledger } from '../../../provider/workspace/ledger.ts';
import type { State } from '../../../provider/workspace/meetings.ts';
import { dataSourceMember, type Form, membershipOf, personMember } from '../../../provider/workspace/members.ts';
import type { Workspace } from '../../../provider/workspace/workspace.ts';
import { openWorkspace } from '../support/workspace.ts';

const ada = { type: 'rolecall_person', id: '7', what: 'the person ada' };
const list = listOf(personMember, 'r', openWorkspace(undefined));

/** Two states of an object that may not meet, and the refusal. */
const meetings: readonly [typeof ada | typeof list, State, State, RegExp][] = [
  [ada, 'held', 'held', /Two resources manage the person ada:/],
  [ada, 'addressed', 'addressed', /Two people with the e-mail address the person ada:/],
  [ada, 'kept', 'kept', /Two resources manage the person ada:/],
  [ada, 'kept', 'meant', /Two resources manage the person ada: .* \(id 7\)/],
  [ada, 'kept', 'arriving', /Another resource gives the person ada up:/],
  [ada, 'kept', 'leaving', /Two addresses for the person ada:/],
  [ada, 'arriving', 'leaving', /Two addresses for the person ada:/],
  [list, 'listed', 'single', /: A rolecall_role_people and a rolecall_role_person have the role_id r\./],
  [list, 'listed', 'listed', /: Two rolecall_role_people have the role_id r\./],
  [list, 'listed', 'leaving', /Two addresses for the list of the people in the role r:/],
];

describe('the ledger of a command', () => {
  for (const [object, one, other, message] of meetings) {
    it(`refuses that ${object.what} is ${one} and ${other}, whichever comes first`, async () => {
      for (const [first, second] of [[one, other] as const, [other, one] as const]) {
        const ledger = new Ledger();
        await ledger.enter(object, first, 'a');
        await ledger.enter({ ...object, type: 'rolecall_other' }, second, 'b');
        await ledger.enter({ ...object, id: '8' }, second, 'b');
        await assert.rejects(ledger.enter(object, second, 'b', 'b'), message);
      }
    });
  }

  it('lets a resource that is planned twice enter its state again, also after another one was refused', async () => {
    const ledger = new Ledger();
    await ledger.enter(ada, 'held', '7');
    await ledger.enter(ada, 'held', '7', '7');
    await assert.rejects(ledger.enter(ada, 'held', '8', '8'), /Two resources/);
    await ledger.enter(ada, 'held', '7', '7');
  });

  it('lets an object be made again once it is removed', async () => {
    const ledger = new Ledger();
    await ledger.enter(ada, 'leaving');
    ledger.note(ada, 'removed');
    await ledger.enter(ada, 'arriving');
    ledger.withdraw(ada, 'removed');
    await assert.rejects(ledger.enter(ada, 'arriving'), /Two addresses/);
  });

  it('lets a member be put in again once they are out', async () => {
    const workspace = openWorkspace(undefined);
    await enterMemberships('given up by list', personMember, 'r', ['ada'], workspace);
    workspace.ledger.note(membershipOf(personMember, 'r', 'ada'), 'removed');
    await enterMemberships('had by single', personMember, 'r', ['ada'], workspace);
  });

  it('remembers adoptions until a refresh, and nothing else of the plan before', () => {
    const ledger = new Ledger();
    ledger.note(ada, 'adopted', 'removed');
    ledger.beginAgain('plan');
    assert.ok(ledger.has(ada, 'adopted') && !ledger.has(ada, 'removed'));
    ledger.beginAgain('read');
    assert.ok(!ledger.has(ada, 'adopted'));
  });
});

/** A resource that gives memberships of ada and bo up, one that has some, and the member whom a refusal names. */
const handovers: readonly [from: Form, to: Form, members: readonly (string | undefined)[], named?: string][] = [
  ['list', 'single', ['bo'], 'bo'],
  ['list', 'single', ['di']],
  ['list', 'single', [undefined], 'ada'],
  ['single', 'list', ['cy', 'ada'], 'ada'],
  ['single', 'list', ['cy', undefined], 'ada'],
  ['list', 'list', ['bo'], 'bo'],
  // They meet as objects do.
  ['single', 'single', ['ada']],
];

describe('memberships that a plan gives up and has', () => {
  for (const [from, to, members, named] of handovers) {
    it(`meet at ${named ?? 'no one'} for a ${from} and a ${to} of ${members.map((id) => id ?? 'an unknown one').join(' and ')}, whichever comes first`, async () => {
      const end = (workspace: Workspace) =>
        enterMemberships(`given up by ${from}`, personMember, 'r', ['ada', 'bo'], workspace);
      const have = (role: string, workspace: Workspace, kind = personMember) =>
        enterMemberships(`had by ${to}`, kind, role, members, workspace);
      const meet = async (entered: Promise<void>) => {
        if (named === undefined) await entered;
        else
          await assert.rejects(entered, new RegExp(`ends a rolecall_role_.* such as the person ${named}, as far as`));
      };
      const [ended, had] = [openWorkspace(undefined), openWorkspace(undefined)];
      await end(ended);
      await have('s', ended);
      await have('r', ended, dataSourceMember);
      await meet(have('r', ended));
      await have('r', had);
      await meet(end(had));
    });
  }
});
