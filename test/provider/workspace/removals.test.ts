import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultRails } from '@rolecall/crds';
import type { View } from '@rolecall/reconcile';
import { Removals } from '../../../provider/workspace/removals.ts';

const named = (word: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${word}${index}`);

/** Roles of a workspace with so many people each, and what was asked of it. */
function open(sizes: Readonly<Record<string, number>>, rails = {}, snippets: readonly string[] = []) {
  const asked: string[] = [];
  const listOf = (all: readonly unknown[]) => Promise.resolve({ all } as never);
  const roles = new Map(Object.keys(sizes).map((name) => [name, { id: name, name }]));
  const before: Partial<View> = {
    roles: () => Promise.resolve({ byId: roles } as never),
    rolePeople: (role) => listOf(named('person', sizes[role] ?? 0)),
    roleDataSources: () => listOf(named('source', 12)),
    snippets: () => listOf(snippets.map((name) => ({ ownerRole: { id: 'ops' }, activeVersion: { name } }))),
  };
  const removals = new Removals(
    { ...defaultRails, ...rails },
    {
      // Only what the rails of members read.
      before: before as View,
      manager: 'terraform/default',
      lastWrite: () => Promise.resolve(undefined),
      memberships: () => {
        asked.push('memberships');
        return Promise.resolve(Object.values(sizes).reduce((sum, size) => sum + size, 0));
      },
      adminRole: () => {
        asked.push('adminRole');
        return Promise.resolve('admins');
      },
    },
  );
  return { removals, asked };
}

describe('what one Terraform plan removes of memberships', () => {
  const small = { ...Object.fromEntries(named('team', 15).map((name) => [name, 4])), large: 20 };
  const emptied = named('person', 4);

  it('is added up over all roles, and refused once where it is too much of the workspace', async () => {
    const { removals, asked } = open(small);
    await removals.removeMembers('team0', 'people', emptied);
    await removals.removeMembers('team1', 'people', emptied);
    assert.ok(!asked.includes('memberships'), 'what is fewer than the least is not read for');
    await removals.removeMembers('team2', 'people', emptied);
    await assert.rejects(removals.removeMembers('team3', 'people', emptied), (error: Error) => {
      assert.match(
        `${error.message} ${JSON.stringify(error)}`,
        /Too many memberships of people in roles would be removed/,
      );
      return true;
    });
    await removals.removeMembers('team4', 'people', emptied);
  });

  it('does not count who goes over to another role, nor data sources', async () => {
    const { removals } = open(small);
    for (const name of named('team', 8)) await removals.moveMembers(name, 'people', emptied);
    for (const name of named('team', 8)) await removals.removeMembers(name, 'dataSources', ['source0']);
    const { removals: one } = open(small);
    await assert.rejects(one.moveMembers('large', 'people', named('person', 12)), /people in the role large/);
  });

  it('names the snippets of a role from which too many go', async () => {
    const { removals } = open({ ops: 12 }, {}, ['Top']);
    await assert.rejects(
      removals.removeMembers('ops', 'people', named('person', 12)),
      /people in the role ops, which owns the snippet Top, would be removed/,
    );
  });

  it('does not take two of the administrators, nor the last, unless everything may go', async () => {
    const { removals, asked } = open({ admins: 5, others: 5 });
    await removals.removeMembers('admins', 'people', ['person0']);
    assert.deepEqual(asked, []);
    await removals.removeMembers('others', 'people', ['person0', 'person1']);
    await assert.rejects(removals.removeMembers('admins', 'people', ['person1']), (error: Error) => {
      assert.match(error.message, /administrators would leave their role/);
      return true;
    });
    const { removals: last } = open({ admins: 1 });
    await assert.rejects(last.removeMembers('admins', 'people', ['person0']), /administrators would leave their role/);
    const { removals: free } = open({ admins: 1 }, { maxRemovalPercent: 100 });
    await free.removeMembers('admins', 'people', ['person0']);
  });

  it('does not rename the role of the administrators, unless everything may go', async () => {
    const { removals } = open({ admins: 5, others: 5 });
    await removals.renameRole('others');
    await assert.rejects(removals.renameRole('admins'), /the service knows the administrators .* by that name/);
    await open({ admins: 5 }, { maxRemovalPercent: 100 }).removals.renameRole('admins');
  });
});
