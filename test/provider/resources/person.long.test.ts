import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, type Terraform, useTerraform } from '../support/terraform.ts';

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
  let terraform: Terraform;
  useTerraform((started) => {
    terraform = started;
  }, '');
  const people = () => terraform.workspace.client.call('listPeople', {});
  const address = 'rolecall_person.ada';

  it('is created by one call, and planned again without changes', async () => {
    terraform.configure(person());
    await terraform.apply();
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
    terraform.configure(team(0));
    await terraform.apply();
    terraform.configure(team(9));
    await terraform.must(['plan', '-lock=false']);
    terraform.configure(team(12));
    const { code, output } = await terraform.run(['plan', '-lock=false']);
    assert.equal(code, 1);
    assert.match(
      inOneLine(output),
      /Too many people would be removed or locked .* removes or locks more than 15 % of 12/,
    );
    terraform.configure(`provider "rolecall" {\n  max_removal_percent = 100\n}\n${team(12)}`);
    await terraform.apply();
    assert.ok((await people()).every(({ isLocked }) => isLocked));
    terraform.configure('provider "rolecall" {\n  max_removal_percent = 100\n}\n');
    await terraform.apply();
  });

  it('is locked and unlocked in place', async () => {
    terraform.configure(person());
    await terraform.apply();
    const [before] = await people();
    terraform.configure(person({ more: 'locked = true' }));
    assert.match(await terraform.apply(), /0 added, 1 changed, 0 destroyed/);
    assert.deepEqual(await people(), [{ ...before, isLocked: true }]);
    await terraform.assertNoChanges();
    terraform.configure(person());
    await terraform.apply();
    assert.deepEqual(await people(), [before]);
    await terraform.assertNoChanges();
  });

  it('shows a lock made behind its back as drift, and undoes it', async () => {
    terraform.configure(person());
    await terraform.apply();
    const [found] = await people();
    await terraform.workspace.client.call('lockPerson', { params: { person: found!.id } });
    const { code, output } = await terraform.run(['plan', '-detailed-exitcode']);
    assert.equal(code, 2);
    assert.match(output, /locked\s+= true -> false/);
    await terraform.apply();
    await terraform.assertNoChanges();
  });

  it('is planned again when someone deletes it', async () => {
    terraform.configure(person());
    await terraform.apply();
    const [found] = await people();
    const params = { person: found!.id };
    await terraform.workspace.client.call('lockPerson', { params });
    await terraform.workspace.client.call('deletePerson', { params });
    assert.match(await terraform.apply(), /1 added, 0 changed, 0 destroyed/);
    await terraform.assertNoChanges();
  });

  it('takes another spelling of the same username, name and e-mail address for no change', async () => {
    terraform.configure(person({ name: 'Ada Lovelacé' }));
    await terraform.apply();
    terraform.configure(person({ username: 'Ada', name: 'ADA LOVELACÉ'.normalize('NFD'), email: 'ADA@example.com' }));
    await terraform.assertNoChanges();
    terraform.configure(person({ name: 'Someone Else', more: 'lifecycle { ignore_changes = [name] }' }));
    await terraform.assertNoChanges();
    terraform.configure(person({ name: 'Ada Lovelacé' }));
  });

  it('is replaced only where that is allowed, and then says what falls', async () => {
    terraform.configure(person());
    await terraform.apply();
    const [found] = await people();
    const role = await terraform.workspace.client.call('createRole', { body: { name: 'by hand' } });
    await terraform.workspace.client.call('addRolePerson', { params: { role: role.id, person: found!.id } });
    terraform.configure(person({ email: 'countess@example.com' }));
    const refused = await terraform.run(['plan']);
    assert.equal(refused.code, 1);
    assert.match(
      refused.output,
      /with rolecall_person\.ada,\s+on main\.tf line \d+, in resource "rolecall_person" "ada":\s+\d+:\s+email/,
    );
    assert.match(refused.output, /replace_allowed = true/);

    terraform.configure(person({ email: 'countess@example.com', more: 'replace_allowed = true' }));
    const output = await terraform.apply();
    assert.match(output, /must be replaced/);
    assert.match(output.replaceAll(/\s+/g, ' '), /With that fall the roles by hand/);
    assert.match(output, /1 added, 0 changed, 1 destroyed/);
    const [replaced] = await people();
    assert.equal(replaced?.email, 'countess@example.com');
    assert.notEqual(replaced.id, found!.id);
    await terraform.assertNoChanges();
    await terraform.workspace.client.call('deleteRole', { params: { role: role.id } });
  });

  it('is neither replaced nor destroyed while it is protected', async () => {
    terraform.configure(person({ more: 'protected = true' }));
    await terraform.apply();
    const [found] = await people();
    terraform.configure(person({ name: 'Augusta Ada King', more: 'protected = true\n replace_allowed = true' }));
    const replaced = await terraform.run(['plan']);
    assert.equal(replaced.code, 1);
    assert.match(replaced.output, /The person ada is protected/);
    terraform.configure('');
    const destroyed = await terraform.run(['apply', '-auto-approve']);
    assert.equal(destroyed.code, 1);
    assert.match(destroyed.output, /protected = false and apply that first/);
    assert.deepEqual(await people(), [found]);
    terraform.configure(person());
    await terraform.apply();
  });

  it('is adopted when it is there, with a warning, and its id is known in the plan', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.workspace.client.call('createPerson', { body });
    terraform.configure(person({ more: 'locked = true' }));
    const planned = await terraform.must(['plan']);
    assert.match(planned, /Adopts the person ada/);
    assert.match(planned, new RegExp(`id\\s+= "${made.id}"`));
    await terraform.apply();
    assert.deepEqual(await people(), [{ ...made, isLocked: true }]);
    await terraform.assertNoChanges();
  });

  it('is adopted with a warning of the lock that the apply changes, and as it is where nothing differs', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.workspace.client.call('createPerson', { body });
    terraform.configure(person());
    assert.match((await terraform.must(['plan'])).replaceAll(/\s+/g, ' '), /taken over as it is\. From now on/);
    terraform.configure(person({ more: 'locked = true' }));
    assert.match(
      (await terraform.must(['plan'])).replaceAll(/\s+/g, ' '),
      /declared: it is not locked, and will be locked\./,
    );
    await terraform.workspace.client.call('lockPerson', { params: { person: made.id } });
    terraform.configure(person());
    const output = (await terraform.apply()).replaceAll(/\s+/g, ' ');
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
    terraform.configure(person());
    assert.match(await terraform.apply(), /Adopts the person ada/);
    proxy.intercept = () => Promise.resolve(undefined);
    assert.equal((await people()).length, 1);
    await terraform.assertNoChanges();
  });

  it('is not adopted where adopt = false, and never when the person is another one', async () => {
    const body = { username: 'ada', name: 'Ada Byron', email: 'ada@example.com' };
    const made = await terraform.workspace.client.call('createPerson', { body });
    terraform.configure(person({ more: 'adopt = false' }));
    const forbidden = await terraform.run(['plan']);
    assert.equal(forbidden.code, 1);
    assert.match(forbidden.output, /Already there: the person ada/);
    terraform.configure(person());
    const other = await terraform.run(['plan']);
    assert.equal(other.code, 1);
    assert.match(other.output, /The person ada is another one/);
    assert.deepEqual(await people(), [made]);
    await terraform.workspace.client.call('lockPerson', { params: { person: made.id } });
    await terraform.workspace.client.call('deletePerson', { params: { person: made.id } });
  });

  it('is replaced by -replace without being taken for someone to adopt', async () => {
    terraform.configure(person({ more: 'replace_allowed = true' }));
    await terraform.apply();
    const [found] = await people();
    const output = await terraform.apply(`-replace=${address}`);
    assert.match(output, /1 added, 0 changed, 1 destroyed/);
    assert.doesNotMatch(output, /Adopts/);
    assert.notEqual((await people())[0]?.id, found?.id);
    await terraform.assertNoChanges();
  });

  it('is imported by id and by username', async () => {
    const body = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
    const made = await terraform.workspace.client.call('createPerson', { body });
    terraform.configure(person());
    for (const id of [made.id, 'ADA']) {
      await terraform.must(['import', address, id]);
      await terraform.assertNoChanges();
      await terraform.must(['state', 'rm', address]);
    }
    const missing = await terraform.run(['import', address, 'nobody']);
    assert.equal(missing.code, 1);
    assert.match(missing.output, /There is no rolecall_person nobody/);
    await terraform.must(['import', address, made.id]);
  });

  it('is moved to another address, and forgotten without being deleted', async () => {
    terraform.configure(person());
    await terraform.apply();
    const [found] = await people();
    terraform.configure(`${person().replace('"ada" {', '"countess" {')}
moved {
  from = rolecall_person.ada
  to   = rolecall_person.countess
}`);
    assert.match(await terraform.apply(), /0 added, 0 changed, 0 destroyed/);
    terraform.configure(`removed {
  from = rolecall_person.countess
  lifecycle { destroy = false }
}`);
    await terraform.apply();
    assert.deepEqual(await people(), [found]);
    terraform.configure(person());
    await terraform.apply();
  });

  it('is not lost when its address changes without a moved block', async () => {
    terraform.configure(person());
    await terraform.apply();
    const found = await people();
    terraform.configure(person().replace('"ada" {', '"countess" {'));
    const { code, output } = await terraform.run(['apply', '-auto-approve']);
    assert.equal(code, 1);
    assert.match(output, /Two addresses for the person ada/);
    assert.deepEqual(await people(), found);
  });

  it('names the attribute and the remedy of what the service would refuse', async () => {
    terraform.configure(person({ username: '', email: 'nobody' }));
    const { code, output } = await terraform.run(['validate']);
    assert.equal(code, 1);
    assert.match(output, /username = ""/);
    assert.match(output, /must be an e-mail address such as\s+ada@example\.com/);
  });
});
