import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

interface Written {
  username?: string;
  name?: string;
  email?: string;
  more?: string;
}

const person = ({ username = 'ada', name = 'Ada Lovelace', email = 'ada@example.com', more = '' }: Written = {}) => `
resource "rolecall_person" "ada" {
  username = "${username}"
  name     = "${name}"
  email    = "${email}"
  ${more}
}`;

describe('rolecall_person', requires('terraform'), () => {
  const terraform = useTerraform('');
  const people = () => terraform.call('listPeople', {});
  const address = 'rolecall_person.ada';

  it('is created by one call, and planned again without changes', async () => {
    await terraform.converge(person());
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.deepEqual(written, ['POST /api/v2/person']);
    await terraform.assertNoChanges();
    const [found] = await people();
    const state = await terraform.stateOf(address);
    assert.deepEqual([state['id'], state['locked'], state['created_at']], [found?.id, false, found?.createdAt]);
  });

  it('is not locked with too many others at once, unless that is meant', async () => {
    const team = (locked: number) => `resource "rolecall_person" "team" {
  count    = 12
  username = "member-\${count.index}"
  name     = "Member \${count.index}"
  email    = "member-\${count.index}@example.com"
  locked   = count.index < ${locked}
}
`;
    await terraform.converge(team(0));
    terraform.configure(team(9));
    await terraform.must(['plan', '-lock=false']);
    terraform.configure(team(12));
    await terraform.refuses(
      ['plan', '-lock=false'],
      /Too many people would be removed or locked .* removes or locks more than 15 % of 12 .* whose address changed without a moved block/,
    );
    await terraform.converge(`provider "rolecall" {\n  max_removal_percent = 100\n}\n${team(12)}`);
    assert.ok((await people()).every(({ isLocked }) => isLocked));
    await terraform.converge('provider "rolecall" {\n  max_removal_percent = 100\n}\n');
  });

  it('keeps the spelling of its domain in the state, and has its ASCII form in the workspace', async () => {
    for (const email of ['ada@münchen.example', 'ada@xn--mnchen-3ya.example']) {
      await terraform.converge(person({ email }));
      await terraform.assertNoChanges();
      assert.deepEqual(
        (await people()).map((found) => found.email),
        ['ada@xn--mnchen-3ya.example'],
      );
      assert.equal((await terraform.stateOf(address))['email'], 'ada@münchen.example');
    }
    assert.equal(terraform.calls().filter((call) => call === 'POST /api/v2/person').length, 1);
  });

  it('is locked and unlocked in place', async () => {
    await terraform.converge(person());
    const [before] = await people();
    assert.match(await terraform.converge(person({ more: 'locked = true' })), /0 added, 1 changed, 0 destroyed/);
    assert.deepEqual(await people(), [{ ...before, isLocked: true }]);
    await terraform.assertNoChanges();
    await terraform.converge(person());
    assert.deepEqual(await people(), [before]);
    await terraform.assertNoChanges();
  });

  it('shows a lock made behind its back as drift, and undoes it', async () => {
    await terraform.converge(person());
    const [found] = await people();
    await terraform.call('lockPerson', { params: { person: found!.id } });
    const { code, output } = await terraform.run(['plan', '-detailed-exitcode']);
    assert.equal(code, 2);
    assert.match(output, /locked\s+= true -> false/);
    await terraform.apply();
    await terraform.assertNoChanges();
  });

  it('is planned again when someone deletes it', async () => {
    await terraform.converge(person());
    const [found] = await people();
    const params = { person: found!.id };
    await terraform.call('lockPerson', { params });
    await terraform.call('deletePerson', { params });
    assert.match(await terraform.apply(), /1 added, 0 changed, 0 destroyed/);
    await terraform.assertNoChanges();
  });

  it('takes another spelling of the same username, name and e-mail address for no change', async () => {
    await terraform.converge(person({ name: 'Ada Lovelacé' }));
    terraform.configure(person({ username: 'Ada', name: 'ADA LOVELACÉ'.normalize('NFD'), email: 'ADA@example.com' }));
    await terraform.assertNoChanges();
    terraform.configure(person({ name: 'Someone Else', more: 'lifecycle { ignore_changes = [name] }' }));
    await terraform.assertNoChanges();
    terraform.configure(person({ name: 'Ada Lovelacé' }));
  });

  it('is edited in place by one call, and keeps what it has', async () => {
    await terraform.converge(person());
    const [found] = await people();
    const role = await terraform.call('createRole', { body: { name: 'by hand' } });
    await terraform.call('addRolePerson', { params: { role: role.id, person: found!.id } });
    terraform.calls();
    const edited = { username: 'countess', name: 'Augusta Ada King', email: 'countess@example.com' };
    const output = await terraform.converge(person({ ...edited, more: 'protected = true' }));
    assert.match(output, /0 added, 1 changed, 0 destroyed/);
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.deepEqual(written, [`PATCH /api/v2/person/${found!.id}`]);
    assert.deepEqual(await people(), [{ ...found, ...edited }]);
    const members = await terraform.call('listRolePeople', { params: { role: role.id } });
    assert.deepEqual(
      members.map(({ id }) => id),
      [found!.id],
    );
    await terraform.assertNoChanges();
    await terraform.call('deleteRole', { params: { role: role.id } });
    await terraform.converge(person());
  });

  it('is kept with a state of a provider that replaced people, and the argument for that is gone', async () => {
    await terraform.converge(person());
    const file = path.join(terraform.folder, 'terraform.tfstate');
    const state = readFileSync(file, 'utf8');
    assert.match(state, /"protected": null,/);
    writeFileSync(file, state.replace('"protected": null,', '"protected": null,\n"replace_allowed": true,'));
    await terraform.assertNoChanges();
    terraform.configure(person({ more: 'replace_allowed = true' }));
    await terraform.refuses(['plan'], /Unsupported argument/);
    await terraform.converge(person());
  });

  it('is not destroyed while it is protected', async () => {
    await terraform.converge(person({ more: 'protected = true' }));
    const [found] = await people();
    terraform.configure('');
    await terraform.refuses(['apply', '-auto-approve'], /protected = false and apply that first/);
    assert.deepEqual(await people(), [found]);
    await terraform.converge(person());
  });

  it('is adopted when it is there, with a warning, and its id is known in the plan', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.call('createPerson', { body });
    terraform.configure(person({ more: 'locked = true' }));
    const planned = await terraform.must(['plan']);
    assert.match(planned, /Adopts the person ada/);
    assert.match(planned, new RegExp(`id\\s+= "${made.id}"`));
    await terraform.apply();
    assert.deepEqual(await people(), [{ ...made, isLocked: true }]);
    await terraform.assertNoChanges();
  });

  it('is not lost where someone deletes it before the saved plan that adopts it is applied', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const params = { person: (await terraform.call('createPerson', { body })).id };
    terraform.configure(person());
    await terraform.must(['plan', '-out=saved']);
    await terraform.call('lockPerson', { params });
    await terraform.call('deletePerson', { params });
    await terraform.refuses(['apply', 'saved'], /Provider produced inconsistent final plan/);
    await terraform.apply();
    await terraform.assertNoChanges();
  });

  it('is adopted with a warning of the lock that the apply changes, and as it is where nothing differs', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.call('createPerson', { body });
    terraform.configure(person());
    assert.match((await terraform.must(['plan'])).replaceAll(/\s+/g, ' '), /taken over as it is\. From now on/);
    terraform.configure(person({ more: 'locked = true' }));
    assert.match(
      (await terraform.must(['plan'])).replaceAll(/\s+/g, ' '),
      /declared: it is not locked, and will be locked\./,
    );
    await terraform.call('lockPerson', { params: { person: made.id } });
    const output = (await terraform.converge(person())).replaceAll(/\s+/g, ' ');
    assert.match(output, /declared: it is locked, and will be unlocked\./);
    assert.doesNotMatch(output, /as it is/);
    assert.deepEqual(await people(), [made]);
  });

  it('is adopted when someone makes the very person while Terraform applies', async () => {
    const { client, proxy } = terraform.workspace;
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    proxy.intercept = async (call) => {
      if (call === 'POST /api/v2/person' && (await people()).length === 0) await client.call('createPerson', { body });
      return undefined;
    };
    assert.match(await terraform.converge(person()), /Adopts the person ada/);
    proxy.intercept = () => Promise.resolve(undefined);
    assert.equal((await people()).length, 1);
    await terraform.assertNoChanges();
  });

  it('is adopted with another name, which the plan tells, and not where adopt = false', async () => {
    const body = { username: 'ada', name: 'Ada Byron', email: 'ada@example.com' };
    const made = await terraform.call('createPerson', { body });
    terraform.configure(person({ more: 'adopt = false' }));
    await terraform.refuses(['plan'], /Already there: the person ada/);
    terraform.configure(person());
    assert.match(
      inOneLine(await terraform.must(['plan'])),
      /changed to what is declared: its name changes from "Ada Byron" to "Ada Lovelace"\./,
    );
    await terraform.apply();
    assert.deepEqual(await people(), [{ ...made, name: 'Ada Lovelace' }]);
    await terraform.assertNoChanges();
  });

  it('is replaced by -replace without being taken for someone to adopt', async () => {
    await terraform.converge(person());
    const [found] = await people();
    const output = await terraform.apply(`-replace=${address}`);
    assert.match(output, /1 added, 0 changed, 1 destroyed/);
    assert.doesNotMatch(output, /Adopts/);
    assert.notEqual((await people())[0]?.id, found?.id);
    await terraform.assertNoChanges();
  });

  it('is imported by id and by username', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.call('createPerson', { body });
    terraform.configure(person());
    for (const id of [made.id, 'ADA']) {
      await terraform.must(['import', address, id]);
      await terraform.assertNoChanges();
      await terraform.must(['state', 'rm', address]);
    }
    await terraform.refuses(
      ['import', address, 'nobody'],
      /There is no rolecall_person "nobody" in the workspace\. It is imported by its identifier or its username\./,
    );
    await terraform.must(['import', address, made.id]);
  });

  it('is moved to another address, and forgotten without being deleted', async () => {
    await terraform.converge(person());
    const [found] = await people();
    assert.match(
      await terraform.converge(`${person().replace('"ada" {', '"countess" {')}
moved {
  from = rolecall_person.ada
  to   = rolecall_person.countess
}`),
      /0 added, 0 changed, 0 destroyed/,
    );
    await terraform.converge(`removed {
  from = rolecall_person.countess
  lifecycle { destroy = false }
}`);
    assert.deepEqual(await people(), [found]);
    await terraform.converge(person());
  });

  it('does not become a resource of another type, and says how the object gets there', async () => {
    await terraform.converge(person());
    terraform.configure(`resource "rolecall_role" "analysts" {
  name = "analysts"
}
moved {
  from = rolecall_person.ada
  to   = rolecall_role.analysts
}`);
    await terraform.refuses(
      ['plan'],
      /Cannot move rolecall_person to rolecall_role .*Import the object instead, and forget the old resource with a removed block/,
    );
  });

  it('is not lost when its address changes without a moved block', async () => {
    await terraform.converge(person());
    const found = await people();
    terraform.configure(person().replace('"ada" {', '"countess" {'));
    await terraform.refuses(['apply', '-auto-approve'], /Two addresses for the person ada/);
    assert.deepEqual(await people(), found);
  });

  it('names the attribute and the remedy of what the service would refuse', async () => {
    terraform.configure(person({ username: '', email: 'nobody' }));
    await terraform.refuses(['validate'], /username = ""/, /must be an e-mail address such as\s+ada@example\.com/);
  });
});
