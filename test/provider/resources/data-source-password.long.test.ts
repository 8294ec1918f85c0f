import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const password = 'pl4nted-p4ssw0rd';
const both = 'password_wo = var.pw\n  password_wo_version = 1';

const billing = (more: string, uri = 'postgresql://reporting@db.internal:5432/billing') => `
variable "pw" {
  type      = string
  default   = null
  ephemeral = true
}
resource "rolecall_data_source" "billing" {
  name  = "Billing"
  alias = "billing"
  uri   = "${uri}"
  ${more}
}
`;
const elsewhere = 'postgresql://reporting@elsewhere:5432/billing';

describe('the password of a rolecall_data_source', requires('terraform'), () => {
  const terraform = useTerraform('');
  const given = { TF_VAR_pw: password };
  const stored = async () => {
    const [found] = await terraform.call('listDataSources', {});
    const params = { dataSource: found!.id };
    return new URL((await terraform.call('getDataSourceDetail', { params })).configUri);
  };
  const apply = (env: Record<string, string> = given) => terraform.must(['apply', '-auto-approve'], env);
  const refuses = async (message: RegExp, args = ['plan'], env: Record<string, string> = {}) => {
    const { code, output } = await terraform.run(args, env);
    assert.equal(code, 1, output);
    const flat = inOneLine(output);
    assert.match(flat, message);
    assert.ok(!flat.includes(password));
  };

  it('is not lost where password_wo comes to null, whatever its version says', async () => {
    terraform.configure(billing(both));
    await apply();
    terraform.configure(billing(both, elsewhere));
    await refuses(/password_wo_version needs password_wo/, ['apply', '-auto-approve']);
    terraform.configure(billing(both.replace('= 1', '= 2')));
    await refuses(/password_wo is null or left out, so there is no password to send/);
    terraform.configure(billing('password_wo = var.pw', elsewhere));
    await refuses(/The password would be lost/);
    assert.equal((await stored()).password, password);
    assert.equal((await stored()).hostname, 'db.internal');
  });

  it('is not lost where it comes to null only while applying', async () => {
    terraform.configure(billing(both));
    await apply();
    const late = 'resource "terraform_data" "late" {\n  input = "x"\n}\n';
    const unknown = 'terraform_data.late.id == "" ? "x" : null';
    for (const [more, message] of [
      [`password_wo = ${unknown}\n  password_wo_version = 1`, /password_wo_version needs password_wo/],
      [`password = ${unknown}`, /The password would be lost/],
    ] as const) {
      terraform.configure(late + billing(more, elsewhere));
      await refuses(message, ['apply', '-auto-approve']);
      assert.equal((await stored()).password, password);
      await terraform.must(['state', 'rm', 'terraform_data.late']);
    }
  });

  it('stays where it is not declared and only the spelling of the URI changes', async () => {
    terraform.configure(billing(both));
    await apply();
    await terraform.converge(billing('', 'postgresql://reporting@db.internal/billing'));
    assert.equal((await stored()).password, password);
    assert.equal((await stored()).port, '');
    await terraform.assertNoChanges();
  });

  it('is refused where the URI cannot carry it, at its line', async () => {
    const sqlite = 'sqlite:///data/billing.db';
    for (const [more, uri, message] of [
      [both, sqlite, /Invalid password_wo .* password_wo cannot go with a sqlite URI.* Leave the password out/],
      ['password = var.old', sqlite, /Invalid password .* password cannot go with a sqlite URI/],
      [both, 'postgresql://h/db', /password_wo needs a user in uri.* as in postgresql:\/\/reporting@/],
      ['password = var.old', 'mysql://h/db', /password needs a user in uri.* as in mysql:\/\/reporting@/],
    ] as const) {
      terraform.configure(`variable "old" {\n  default = "b"\n}\n${billing(more, uri)}`);
      await refuses(message, ['plan'], given);
    }
    terraform.configure(billing('', sqlite));
    await terraform.must(['plan']);
  });
});
