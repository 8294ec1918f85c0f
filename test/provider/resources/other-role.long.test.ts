import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const given = (people: number) => `resource "rolecall_person" "team" {
  count    = ${people}
  username = "member-\${count.index}"
  name     = "Member \${count.index}"
  email    = "member-\${count.index}@example.com"
}
resource "rolecall_role" "one" {
  name = "one"
}
resource "rolecall_role" "two" {
  name = "two"
}
`;
const list = (role: string, ids = 'rolecall_person.team[*].id') => `resource "rolecall_role_people" "all" {
  role_id    = rolecall_role.${role}.id
  person_ids = ${ids}
}
`;
const singles = (role: string, start = '') => `resource "rolecall_role_person" "each" {
  count     = 12
  role_id   = rolecall_role.${role}.id
  person_id = rolecall_person.team[count.index].id
  ${start && `starts_at = "${start}"`}
}
`;

const allowed = 'provider "rolecall" {\n  max_removal_percent = 100\n}\n';

describe('members whose resource goes to another role', requires('terraform'), () => {
  const terraform = useTerraform(allowed);
  const idOf = async (role: string) =>
    (await terraform.call('listRoles', {})).find(({ name }) => name === role)?.id ?? '';
  const inRole = async (role: string) => {
    const members = await terraform.call('listRolePeople', { params: { role: await idOf(role) } });
    return members.map(({ username }) => username).sort();
  };
  const tooMany = /Too many people in the role one would be removed .* more than 15 % of 12/;

  it('are named where a list leaves them behind, and held to the rails', async () => {
    await terraform.converge(given(2) + list('one'));
    const moved = await terraform.converge(given(2) + list('two'));
    assert.match(inOneLine(moved), /takes these people out of the role one: member-[01], member-[01]\./);
    assert.deepEqual([await inRole('one'), await inRole('two')], [[], ['member-0', 'member-1']]);
    await terraform.assertNoChanges();

    await terraform.converge(given(12) + list('one'));
    terraform.configure(given(12) + list('two'));
    await terraform.refuses(['plan'], tooMany);
    assert.equal((await inRole('one')).length, 12);
  });

  it('are not taken out of the other role by a list that is new there, where others put them in', async () => {
    await terraform.converge(given(2) + list('one', '[rolecall_person.team[0].id]'));
    const byHand = (await terraform.call('listPeople', {})).find(({ username }) => username === 'member-1');
    await terraform.call('addRolePerson', { params: { role: await idOf('two'), person: byHand?.id ?? '' } });
    terraform.configure(given(2) + list('two', '[rolecall_person.team[0].id]'));
    await terraform.refuses(['plan'], /rail first-removal refuses this: .* would remove member-1\./);
    assert.deepEqual(await inRole('two'), ['member-1']);
  });

  it('are counted where each has a resource of its own', async () => {
    await terraform.converge(given(12) + singles('one'));
    terraform.configure(given(12) + singles('two'));
    await terraform.refuses(['plan'], tooMany);
    assert.equal((await inRole('one')).length, 12);
  });

  it('are counted where each would be in the role only later, and not where that was so all along', async () => {
    await terraform.converge(given(12) + singles('one'));
    const later = given(12) + singles('one', '2060-01-01T00:00:00Z');
    terraform.configure(later);
    await terraform.refuses(['plan'], tooMany);
    await terraform.converge(allowed + later);
    await terraform.converge(given(12) + singles('one', '2061-01-01T00:00:00Z'));
  });

  it('are not counted where the role has another name', async () => {
    for (const members of [list, singles]) {
      await terraform.converge(given(12) + members('one'));
      await terraform.converge(given(12).replace('name = "one"', 'name = "uno"') + members('one'));
      assert.equal((await inRole('uno')).length, 12);
      await terraform.assertNoChanges();
      await terraform.converge(allowed);
    }
  });
});
