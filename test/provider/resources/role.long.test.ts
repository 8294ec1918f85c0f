import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const people = ['ada', 'grace', 'alan']
  .map(
    (name) => `resource "rolecall_person" "${name}" {
  username = "${name}"
  name     = "${name}"
  email    = "${name}@example.com"
}
`,
  )
  .join('');
const role = (name = 'analysts', more = '') => `resource "rolecall_role" "analysts" {
  name = "${name}"
  ${more}
}
`;
const member = (name: string) => `resource "rolecall_role_person" "${name}" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.${name}.id
}
`;
const exactly = (names: readonly string[], resource = 'all') => `resource "rolecall_role_people" "${resource}" {
  role_id    = rolecall_role.analysts.id
  person_ids = [${names.map((name) => `rolecall_person.${name}.id`).join(', ')}]
}
`;

describe('rolecall_role and its members', requires('terraform'), () => {
  const terraform = useTerraform('');
  const roles = () => terraform.call('listRoles', {});
  const inRole = async (name = 'analysts') => {
    const found = (await roles()).find((each) => each.name === name);
    assert.ok(found !== undefined, `no role ${name}`);
    const members = await terraform.call('listRolePeople', { params: { role: found.id } });
    return members.map(({ username }) => username).sort();
  };

  it('are not taken out by a list that is new, where others put them in, until that is named', async () => {
    await terraform.converge(people + role());
    const { client } = terraform.workspace;
    const [group] = await roles();
    const grace = (await client.call('listPeople', {})).find(({ username }) => username === 'grace');
    assert.ok(group && grace);
    await client.call('addRolePerson', { params: { role: group.id, person: grace.id } });
    terraform.configure(people + role() + exactly(['ada']));
    await terraform.refuses(['apply', '-auto-approve'], /rail first-removal refuses this: .* would remove grace\./);
    assert.deepEqual(await inRole(), ['grace']);
    const allowed = 'provider "rolecall" {\n  allow_first_removal = true\n}\n';
    await terraform.converge(allowed + people + role() + exactly(['ada']));
    assert.deepEqual(await inRole(), ['ada']);
    await client.call('addRolePerson', { params: { role: group.id, person: grace.id } });
    await terraform.converge(people + role() + exactly(['ada']));
    assert.deepEqual(await inRole(), ['ada'], 'by now that is drift');
  });

  it('are counted as far as it is certain where a list has ids that are not known yet', async () => {
    await terraform.converge(people + role());
    const { client } = terraform.workspace;
    const [group] = await roles();
    assert.ok(group);
    const add = async (name: string) => {
      const person = (await client.call('listPeople', {})).find(({ username }) => username === name);
      await client.call('addRolePerson', { params: { role: group.id, person: person?.id ?? '' } });
    };
    const joan = people.slice(people.lastIndexOf('resource')).replaceAll('alan', 'joan');
    terraform.configure(people + joan + role() + exactly(['joan']));
    await add('ada');
    await terraform.must(['plan']);
    await add('grace');
    await terraform.refuses(['plan'], /rail first-removal refuses this: .* would remove ada, grace\./);
    const allowed = 'provider "rolecall" {\n  allow_first_removal = true\n}\n';
    terraform.configure(allowed + people + joan + role() + exactly(['joan']));
    const planned = await terraform.must(['plan']);
    assert.match(inOneLine(planned), /will be removed, unless an id that is not known yet is theirs: ada\b.*, grace\b/);
  });

  it('are created with as many calls as there are objects, and planned again without changes', async () => {
    await terraform.converge(people + role() + member('ada') + member('grace'));
    assert.deepEqual(await inRole(), ['ada', 'grace']);
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.equal(written.length, 3 + 1 + 2);
    await terraform.assertNoChanges();
  });

  it('read one list a collection, and one a role, however many there are', async () => {
    await terraform.converge(people + role() + ['ada', 'grace', 'alan'].map(member).join(''));
    const [found] = await roles();
    terraform.calls();
    await terraform.must(['plan', '-parallelism=50']);
    assert.deepEqual(terraform.calls().sort(), [
      'GET /api/v2/person',
      'GET /api/v2/role',
      `GET /api/v2/role/${found!.id}/person`,
    ]);
  });

  it('leave alone who else is in the role', async () => {
    await terraform.converge(people + role() + member('ada'));
    const grace = (await terraform.call('listPeople', {})).find(({ username }) => username === 'grace');
    const [found] = await roles();
    await terraform.call('addRolePerson', { params: { role: found!.id, person: grace!.id } });
    await terraform.assertNoChanges();
    await terraform.converge(people + role());
    assert.deepEqual(await inRole(), ['grace']);
  });

  it('put back who was taken out', async () => {
    await terraform.converge(people + role() + member('ada'));
    const { role_id, person_id } = await terraform.stateOf('rolecall_role_person.ada');
    const params = { role: String(role_id), person: String(person_id) };
    await terraform.call('removeRolePerson', { params });
    assert.match(await terraform.apply(), /1 added, 0 changed, 0 destroyed/);
    assert.deepEqual(await inRole(), ['ada']);
  });

  it('are exactly those that an authoritative resource lists, and the plan names who is removed', async () => {
    await terraform.converge(people + role() + member('ada') + member('alan'));
    terraform.configure(people + role() + exactly(['ada', 'grace']));
    // The two additive resources are forgotten and not destroyed, so that what the other one removes is seen.
    await terraform.must(['state', 'rm', 'rolecall_role_person.ada', 'rolecall_role_person.alan']);
    const planned = await terraform.must(['plan']);
    assert.match(
      planned.replaceAll(/\s+/g, ' '),
      /in the role analysts now, are not declared, and will be removed: alan/,
    );
    await terraform.apply();
    assert.deepEqual(await inRole(), ['ada', 'grace']);
    await terraform.assertNoChanges();

    const [found] = await roles();
    const alan = (await terraform.call('listPeople', {})).find(({ username }) => username === 'alan');
    await terraform.call('addRolePerson', { params: { role: found!.id, person: alan!.id } });
    const { code, output } = await terraform.run(['plan', '-detailed-exitcode']);
    assert.equal(code, 2);
    assert.match(output.replaceAll(/\s+/g, ' '), /will be removed: alan/);
    await terraform.apply();
    assert.deepEqual(await inRole(), ['ada', 'grace']);
  });

  it('have one authoritative resource a role: a second one is an error', async () => {
    await terraform.converge(people + role() + exactly(['ada']));
    terraform.configure(people + role() + exactly(['ada']) + exactly(['grace'], 'others'));
    await terraform.refuses(['plan'], /Two resources manage the people of one role/);
    assert.deepEqual(await inRole(), ['ada']);
  });

  it('keep the role when the address of their list changes, which the plan refuses without a moved block', async () => {
    // Terraform plans them by their addresses.
    for (const [old, fresh] of [
      ['all', 'team'],
      ['team', 'all'],
    ] as const) {
      await terraform.converge(people + role() + exactly(['ada'], old));
      terraform.configure(people + role() + exactly(['ada'], fresh));
      await terraform.refuses(
        ['apply', '-auto-approve', '-parallelism=1'],
        /Two addresses for the list of the people in the role .* say so with a moved block/,
      );
      assert.deepEqual(await inRole(), ['ada']);
      const moved = `moved {\n  from = rolecall_role_people.${old}\n  to   = rolecall_role_people.${fresh}\n}\n`;
      assert.match(
        await terraform.converge(people + role() + exactly(['ada'], fresh) + moved),
        /0 added, 0 changed, 0 destroyed/,
      );
    }
    await terraform.apply('-replace=rolecall_role_people.all');
    assert.deepEqual(await inRole(), ['ada']);
    await terraform.assertNoChanges();
  });

  it('are renamed in place by one call, and keep who is in them', async () => {
    await terraform.converge(people + role() + member('ada'));
    const [old] = await roles();
    const alan = (await terraform.call('listPeople', {})).find(({ username }) => username === 'alan');
    await terraform.call('addRolePerson', { params: { role: old!.id, person: alan!.id } });
    terraform.calls();
    const output = await terraform.converge(people + role('researchers', 'protected = true') + member('ada'));
    assert.match(output, /0 added, 1 changed, 0 destroyed/);
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.deepEqual(written, [`PATCH /api/v2/role/${old!.id}`]);
    assert.deepEqual(
      (await roles()).map(({ id, name }) => ({ id, name })),
      [{ id: old!.id, name: 'researchers' }],
    );
    assert.deepEqual(await inRole('researchers'), ['ada', 'alan']);
    await terraform.assertNoChanges();
    await terraform.converge(people + role() + member('ada'));
  });

  it('are adopted when they are there', async () => {
    const made = await terraform.call('createRole', { body: { name: 'analysts' } });
    assert.match(await terraform.converge(people + role()), /Adopts the role analysts/);
    assert.equal((await terraform.stateOf('rolecall_role.analysts'))['id'], made.id);
    const ada = (await terraform.call('listPeople', {})).find(({ username }) => username === 'ada');
    await terraform.call('addRolePerson', { params: { role: made.id, person: ada!.id } });
    assert.match(await terraform.converge(people + role() + member('ada')), /Adopts the person ada in that role/);
    await terraform.assertNoChanges();
  });

  it('are adopted together with their role by a plan that names just those whom the list leaves out', async () => {
    const { client } = terraform.workspace;
    const made = await client.call('createRole', { body: { name: 'analysts' } });
    for (const name of ['ada', 'grace', 'alan']) {
      const body = { username: name, name, email: `${name}@example.com` };
      const { id } = await client.call('createPerson', { body });
      await client.call('addRolePerson', { params: { role: made.id, person: id } });
    }
    terraform.configure(people + role() + exactly(['ada', 'grace']));
    await terraform.refuses(['plan'], /rail first-removal refuses this: .* would remove alan\./);
    await terraform.converge(people + role() + exactly(['ada', 'grace', 'alan']));
    await terraform.assertNoChanges();
  });

  it('are imported by ids and by names', async () => {
    await terraform.converge(people + role() + member('ada'));
    const { id } = await terraform.stateOf('rolecall_role_person.ada');
    for (const importId of [String(id), 'analysts/ada', 'analysts/ADA']) {
      await terraform.must(['state', 'rm', 'rolecall_role_person.ada']);
      await terraform.must(['import', 'rolecall_role_person.ada', importId]);
      await terraform.assertNoChanges();
    }
    await terraform.must(['state', 'rm', 'rolecall_role.analysts']);
    await terraform.must(['import', 'rolecall_role.analysts', 'analysts']);
    await terraform.assertNoChanges();
    await terraform.must(['state', 'rm', 'rolecall_role_person.ada']);
    terraform.configure(people + role() + exactly(['ada']));
    await terraform.must(['import', 'rolecall_role_people.all', 'analysts']);
    await terraform.assertNoChanges();
    await terraform.must(['state', 'rm', 'rolecall_role_people.all']);
  });

  it('come from modules whose ids are not known at plan', async () => {
    terraform.configure(people + role() + exactly(['ada', 'alan']));
    const planned = await terraform.must(['plan']);
    assert.match(planned, /5 to add/);
    await terraform.apply();
    assert.deepEqual(await inRole(), ['ada', 'alan']);
  });

  it('refuse a role that is not there, at the attribute', async () => {
    terraform.configure(`${people}resource "rolecall_role_person" "ada" {
  role_id   = "nowhere"
  person_id = rolecall_person.ada.id
}`);
    await terraform.refuses(['apply', '-auto-approve']);
    const { output } = await terraform.run(['plan']);
    assert.match(output, /No such role/);
    assert.match(output, /role_id\s+= "nowhere"/);
  });
});
