import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Client, createClient } from '@rolecall/api';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const person = (name: string, more = '') => `resource "rolecall_person" "${name}" {
  username = "${name}"
  name     = "${name}"
  email    = "${name}@example.com"
  ${more}
}
`;

describe('an object that another manager wrote last', requires('terraform'), () => {
  const terraform = useTerraform('');
  let other: Client;
  const lock = async (name: string) => {
    const found = (await other.call('listPeople', {})).find(({ username }) => username === name);
    await other.call('lockPerson', { params: { person: found!.id } });
  };
  const plan = async (hcl: string) => {
    terraform.configure(hcl);
    terraform.calls();
    return inOneLine(await terraform.must(['plan']));
  };
  const asked = () => terraform.calls().filter((call) => call === 'GET /api/v2/manager').length;
  before(() => {
    const {
      ROLECALL_URL: url = '',
      ROLECALL_KEY_ID: keyId = '',
      ROLECALL_KEY_SECRET: keySecret = '',
    } = terraform.workspace.env;
    other = createClient({ url, keyId, keySecret, manager: 'rolecall/acme' });
  });

  it('is named with that manager where a plan changes or deletes it, by one call a command', async () => {
    await terraform.converge(person('ada') + person('grace') + person('alan'));
    for (const name of ['ada', 'grace']) await lock(name);
    const changed = await plan(person('ada') + person('grace') + person('alan'));
    assert.match(changed, /Also managed by rolecall\/acme .* last wrote (ada|grace), at .* and this plan changes it/);
    assert.match(changed, /undo each other's changes: declare it in one of them only/);
    assert.equal(asked(), 1);
    const deleted = await plan(person('ada', 'locked = true') + person('alan'));
    assert.match(deleted, /last wrote grace, at .* and this plan deletes it/);
    assert.doesNotMatch(deleted, /last wrote (ada|alan)/);
    assert.equal(asked(), 1);
  });

  it('is named where a plan takes it over', async () => {
    await other.call('createPerson', { body: { username: 'ada', name: 'ada', email: 'ada@example.com' } });
    assert.match(await plan(person('ada')), /rolecall\/acme last wrote ada, at .* and this plan takes it over/);
    await terraform.apply();
  });

  it('is no subject of a plan that leaves it alone, or changes only what Terraform itself reads', async () => {
    await terraform.converge(person('ada', 'locked = true'));
    await lock('ada');
    for (const more of ['locked = true', 'locked = true\n  protected = false']) {
      assert.doesNotMatch(await plan(person('ada', more)), /Also managed/);
      assert.equal(asked(), 0);
    }
  });
});
