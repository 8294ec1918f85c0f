import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const owners = `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_role" "analysts" {
  name = "analysts"
}
`;
const snippet = (text = 'select 1', more = 'owner_role_id = rolecall_role.analysts.id') => `${owners}
resource "rolecall_snippet" "top" {
  name = "Top customers"
  text = "${text}"
  ${more}
}`;

describe('rolecall_snippet', requires('terraform'), () => {
  const terraform = useTerraform(owners);
  const address = 'rolecall_snippet.top';
  const snippets = () => terraform.call('listSnippets', {});
  const versions = async () =>
    terraform.call('listSnippetVersions', { params: { snippet: (await snippets())[0]!.id } });

  it('is created by one call, and planned again without changes', async () => {
    await terraform.converge(snippet());
    assert.deepEqual(
      terraform.calls().filter((call) => !call.startsWith('GET')),
      ['POST /api/v2/snippet'],
    );
    await terraform.assertNoChanges();
    const [found] = await snippets();
    assert.equal(found?.ownerRole?.name, 'analysts');
    assert.equal((await terraform.stateOf(address))['active_version_id'], found.activeVersion.id);
  });

  it('makes no version of other line ends', async () => {
    await terraform.converge(snippet('select 1\\nfrom t\\n'));
    terraform.configure(snippet('select 1\\r\\nfrom t\\r\\n'));
    await terraform.assertNoChanges();
    assert.match(await terraform.converge(snippet('select 2\\r\\n')), /1 changed/);
    assert.equal((await versions()).length, 2);
  });

  it('makes a version of new text, and only activates text that an older version has', async () => {
    await terraform.converge(snippet());
    assert.match(await terraform.converge(snippet('select 2')), /0 added, 1 changed, 0 destroyed/);
    assert.equal((await versions()).length, 2);
    assert.equal((await snippets())[0]?.activeVersion.text, 'select 2');
    await terraform.assertNoChanges();
    await terraform.converge(snippet());
    assert.equal((await versions()).length, 2);
    assert.equal((await snippets())[0]?.activeVersion.text, 'select 1');
    await terraform.assertNoChanges();
  });

  it('changes its owner, level and lock in place', async () => {
    await terraform.converge(snippet());
    const [before] = await snippets();
    for (const more of [
      'owner_person_id = rolecall_person.ada.id',
      'owner_person_id = rolecall_person.ada.id\n  public_access_level = "read_only"',
      'owner_person_id = rolecall_person.ada.id\n  locked = true',
      'description = "Revenue by customer"',
      '',
    ]) {
      assert.match(await terraform.converge(snippet('select 1', more)), /0 added, 1 changed, 0 destroyed/, more);
      await terraform.assertNoChanges();
    }
    const [after] = await snippets();
    assert.equal(after?.id, before?.id);
    assert.deepEqual([after?.ownerPerson, after?.ownerRole, after?.isLocked], [null, null, false]);
  });

  it('shows another text as drift, and is planned again when someone deletes it', async () => {
    await terraform.converge(snippet());
    const params = { snippet: (await snippets())[0]!.id };
    const body = { name: 'Top customers', description: '', text: 'drop table invoice' };
    const made = await terraform.call('createSnippetVersion', { params, body });
    await terraform.call('activateSnippetVersion', { params: { ...params, snippetVersion: made.id } });
    assert.match((await terraform.run(['plan'])).output, /"drop table invoice" -> "select 1"/);
    await terraform.apply();
    await terraform.assertNoChanges();
    await terraform.call('deleteSnippet', { params });
    assert.match(await terraform.apply(), /1 added/);
    await terraform.assertNoChanges();
  });

  it('is adopted by its name within its owner, and two of them are an error', async () => {
    await terraform.converge(snippet());
    const [found] = await snippets();
    await terraform.must(['state', 'rm', address]);
    terraform.configure(snippet('select 2', 'owner_role_id = rolecall_role.analysts.id\n  locked = true'));
    assert.match(
      (await terraform.must(['plan'])).replaceAll(/\s+/g, ' '),
      /its text changes from "select 1" to "select 2"; it is not locked, and will be locked\./,
    );
    const adopted = await terraform.converge(snippet());
    assert.match(adopted, /Adopts the snippet Top customers/);
    assert.match(adopted.replaceAll(/\s+/g, ' '), /taken over as it is/);
    assert.equal((await snippets())[0]?.id, found?.id);
    await terraform.must(['state', 'rm', address]);
    const body = {
      name: 'Top customers',
      description: '',
      text: 'select 3',
      isLocked: false,
      publicAccessLevel: 'none' as const,
      owner: 'role' as const,
      ownerRoleId: found!.ownerRole!.id,
    };
    const other = await terraform.call('createSnippet', { body });
    await terraform.refuses(['plan'], new RegExp(`id\\s${found!.id}`), new RegExp(`id\\s${other.id}`));
    await terraform.call('deleteSnippet', { params: { snippet: other.id } });
    for (const id of [found!.id, 'Top customers', 'role/analysts/Top customers']) {
      await terraform.must(['import', address, id]);
      await terraform.assertNoChanges();
      await terraform.must(['state', 'rm', address]);
    }
    await terraform.must(['import', address, found!.id]);
  });

  it('is made by a saved plan that adopts one which someone deletes meanwhile, or makes again', async () => {
    const body = { name: 'Top customers', description: '', text: 'select 1', isLocked: false } as const;
    const roleId = String((await terraform.stateOf('rolecall_role.analysts'))['id']);
    const make = () =>
      terraform.call('createSnippet', {
        body: { ...body, publicAccessLevel: 'none', owner: 'role', ownerRoleId: roleId },
      });
    for (const isMadeAgain of [false, true]) {
      await terraform.converge(owners);
      const { id } = await make();
      terraform.configure(snippet());
      assert.match(inOneLine(await terraform.must(['plan', '-out=saved'])), new RegExp(`Adopts .*id ${id}`));
      await terraform.call('deleteSnippet', { params: { snippet: id } });
      const again = isMadeAgain ? await make() : undefined;
      await terraform.must(['apply', 'saved']);
      const [found, ...others] = await snippets();
      assert.equal(others.length, 0);
      assert.equal((await terraform.stateOf(address))['id'], again?.id ?? found?.id);
      await terraform.assertNoChanges();
    }
  });

  it('refuses two owners, and a level that there is not', async () => {
    terraform.configure(
      snippet('select 1', 'owner_role_id = "r"\n owner_person_id = "p"\n public_access_level = "all"'),
    );
    await terraform.refuses(
      ['validate'],
      /Give owner_person_id or owner_role_id, not both/,
      /must be one of none, read_only, read_write, manage/,
    );
  });

  it('names a username or a role that stands for the id of its owner, while planning', async () => {
    for (const [owner, message] of [
      ['owner_person_id = "ada"', /No such person .*ada is the username of a person, and no id/],
      ['owner_role_id = "analysts"', /No such role .*analysts is the name of a role, and no id/],
    ] as const) {
      terraform.configure(snippet('select 1', owner));
      await terraform.refuses(['plan'], message);
    }
  });
});
