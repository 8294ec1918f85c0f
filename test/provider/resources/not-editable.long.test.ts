import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isWrite } from '../../cli/support/recording-proxy.ts';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const given = ({ name = 'Ada Lovelace', role = 'analysts', end = 2041, more = '' } = {}) => `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "${name}"
  email    = "ada@example.com"
  ${more}
}
resource "rolecall_role" "analysts" {
  name = "${role}"
}
resource "rolecall_data_source" "billing" {
  name  = "Billing"
  alias = "billing"
  uri   = "sqlite:///data/billing.db"
}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.billing.id
  starts_at      = "2040-01-01T00:00:00Z"
  expires_at     = "${end}-01-01T00:00:00Z"
}
`;

describe('a service that has only the specified interface', requires('terraform'), () => {
  const terraform = useTerraform(given());
  before(() => {
    const { proxy } = terraform.workspace;
    proxy.tellsStore = false;
    proxy.intercept = (call) => Promise.resolve(call.startsWith('PATCH') ? { status: 405 } : undefined);
  });
  const writes = () => terraform.calls().filter(isWrite);

  it('edits no person and no role: the plan refuses that, with the remedy, also where it reads nothing first', async () => {
    for (const [change, message] of [
      [
        { name: 'Ada King' },
        /The person ada cannot be edited .* would change name from Ada Lovelace to Ada King, and this service cannot edit people\. Put the old value back, or delete it in the workspace/,
      ],
      [
        { role: 'researchers' },
        /The role analysts cannot be edited .* name from analysts to researchers, and this service cannot edit roles\. Put the old value back/,
      ],
    ] as const) {
      terraform.configure(given(change));
      await terraform.refuses(['plan'], message);
      await terraform.refuses(['plan', '-refresh=false'], message);
    }
    assert.deepEqual(writes(), []);
  });

  it('locks people all the same', async () => {
    await terraform.converge(given({ more: 'locked = true' }));
    await terraform.converge(given());
    await terraform.assertNoChanges();
  });

  it('gets a changed window as a new grant, before the old one is ended', async () => {
    const [old] = await terraform.call('listPermissions', {});
    assert.match(await terraform.converge(given({ end: 2042 })), /0 added, 1 changed, 0 destroyed/);
    const written = writes();
    assert.match(written[0] ?? '', /^POST .*\/permission\/person\//);
    assert.deepEqual(written.slice(1), [`DELETE /api/v2/permission/${old!.id}`]);
    await terraform.assertNoChanges();
  });
});
