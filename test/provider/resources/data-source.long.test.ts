import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';
import { unzip } from '../support/unzip.ts';

const password = 'pl4nted-p4ssw0rd';
const written = `password_wo = "${password}"\n  password_wo_version = 1`;

interface Written {
  name?: string;
  alias?: string;
  host?: string;
  more?: string;
}

const billing = ({ name = 'Billing', alias = 'billing', host = 'db.internal', more = '' }: Written = {}) => `
resource "rolecall_data_source" "billing" {
  name  = "${name}"
  alias = "${alias}"
  uri   = "postgresql://reporting@${host}:5432/billing?sslmode=require"
  ${more}
}`;

describe('rolecall_data_source', requires('terraform'), () => {
  const terraform = useTerraform('');
  const address = 'rolecall_data_source.billing';
  const detail = async () => {
    const [found] = await terraform.call('listDataSources', {});
    return terraform.call('getDataSourceDetail', { params: { dataSource: found!.id } });
  };
  const changeByHand = async (body: { name?: string; configUri?: string }) => {
    const { id } = await detail();
    await terraform.call('updateDataSource', { params: { dataSource: id }, body });
  };

  it('is created with its password, which Terraform stores nowhere', async () => {
    terraform.configure(`variable "password" {
  type      = string
  ephemeral = true
}
${billing({ more: 'password_wo = var.password\n  password_wo_version = 1' })}`);
    const env = { TF_VAR_password: password, TF_LOG: 'TRACE', TF_LOG_PATH: path.join(terraform.folder, 'trace.log') };
    const shown = [
      await terraform.must(['plan', '-out=plan.bin'], env),
      await terraform.must(['show', '-json', 'plan.bin']),
      await terraform.must(['apply', 'plan.bin'], env),
      await terraform.must(['show', '-json']),
    ];
    const { configUri, type } = await detail();
    assert.equal(new URL(configUri).password, password);
    assert.equal(type, 'postgresql');
    assert.equal((await terraform.run(['plan', '-detailed-exitcode'], env)).code, 0);
    for (const text of shown) assertClean('what is shown', Buffer.from(text));
    const plan = unzip(readFileSync(path.join(terraform.folder, 'plan.bin')));
    assert.ok(plan.has('tfplan'));
    for (const [name, content] of plan) assertClean(`${name} of the plan`, content);
    assert.ok(readFileSync(path.join(terraform.folder, 'trace.log')).length > 10_000);
    for (const file of readdirSync(terraform.folder, { withFileTypes: true })) {
      if (file.isFile()) assertClean(file.name, readFileSync(path.join(terraform.folder, file.name)));
    }
  });

  it('changes each attribute in place, and its password only when the version changes', async () => {
    await terraform.converge(billing({ more: written }));
    const { id } = await detail();
    const changes: [Written, (found: Awaited<ReturnType<typeof detail>>) => void][] = [
      [
        { name: 'Billing (production)' },
        ({ name }) => {
          assert.equal(name, 'Billing (production)');
        },
      ],
      [
        { alias: 'bills' },
        ({ alias }) => {
          assert.equal(alias, 'bills');
        },
      ],
      [
        { host: 'other.internal' },
        ({ configUri }) => {
          assert.equal(new URL(configUri).hostname, 'other.internal');
        },
      ],
    ];
    for (const [change, check] of changes) {
      assert.match(await terraform.converge(billing({ ...change, more: written })), /0 added, 1 changed, 0 destroyed/);
      const found = await detail();
      check(found);
      assert.equal(found.id, id);
      assert.equal(new URL(found.configUri).password, password);
      await terraform.assertNoChanges();
    }
    await terraform.converge(billing({ more: written.replace(password, 'an0ther') }));
    assert.equal(
      new URL((await detail()).configUri).password,
      'an0ther',
      'the URI was sent again, with what is declared now',
    );
    terraform.configure(billing({ more: written.replace(password, 'a-th1rd') }));
    await terraform.assertNoChanges();
    await terraform.converge(
      billing({ more: written.replace(password, 'a-th1rd').replace('version = 1', 'version = 2') }),
    );
    assert.equal(new URL((await detail()).configUri).password, 'a-th1rd');
    await terraform.assertNoChanges();
  });

  it('is warned of where its connection leaves this machine without checked TLS', async () => {
    const uriOf = (host: string, mode: string) => billing({ host }).replace('?sslmode=require', mode);
    for (const [uri, message] of [
      [
        uriOf('db.internal', '?sslmode=disable'),
        /billing connects to db\.internal without TLS\. Add sslmode=verify-full/,
      ],
      [uriOf('db.internal', ''), /TLS is not checked .* its certificate is not checked\. Add sslmode=verify-full/],
    ] as const) {
      terraform.configure(uri);
      for (const command of ['validate', 'plan']) assert.match(inOneLine(await terraform.must([command])), message);
    }
    for (const uri of [uriOf('db.internal', '?sslmode=verify-full'), uriOf('localhost', '')]) {
      terraform.configure(uri);
      assert.doesNotMatch(await terraform.must(['plan']), /TLS/);
    }
  });

  it('sees what was changed elsewhere, and reads the connection of that one only', async () => {
    await terraform.converge(billing({ more: written }));
    const { id } = await detail();
    terraform.calls();
    await terraform.assertNoChanges();
    assert.deepEqual(terraform.calls(), ['GET /api/v2/data-source']);

    await changeByHand({ name: 'Renamed' });
    assert.match((await terraform.run(['plan'])).output, /"Renamed" -> "Billing"/);
    await terraform.apply();

    await changeByHand({ configUri: `postgresql://reporting:${password}@db.internal:5432/elsewhere?sslmode=require` });
    terraform.calls();
    const { output } = await terraform.run(['plan']);
    assert.match(output, /5432\/elsewhere\?sslmode=require" -> "[^"]*5432\/billing/);
    assert.deepEqual(terraform.calls(), [
      'GET /api/v2/data-source',
      `GET /api/v2/data-source/${id}/detail`,
      // A plan that changes something asks once who else manages it.
      'GET /api/v2/manager',
    ]);
    await terraform.apply();
    await terraform.assertNoChanges();

    await changeByHand({ configUri: 'postgresql://reporting:stolen@db.internal:5432/billing?sslmode=require' });
    const drifted = await terraform.run(['plan', '-detailed-exitcode']);
    assert.equal(drifted.code, 2);
    assert.match(drifted.output, /password_wo_version\s+= 1/);
    assert.ok(!drifted.output.includes('stolen'));
    await terraform.apply();
    assert.equal(new URL((await detail()).configUri).password, password);
    await terraform.assertNoChanges();
  });

  it('never loses a password that it does not know', async () => {
    const body = {
      name: 'Billing',
      alias: 'billing',
      configUri: `postgresql://reporting:${password}@db.internal:5432/billing?sslmode=require`,
    };
    await terraform.call('createDataSource', { body });
    assert.match(await terraform.converge(billing()), /Adopts the data source billing/);
    await terraform.assertNoChanges();
    terraform.configure(billing({ host: 'elsewhere' }));
    await terraform.refuses(['plan'], /The password would be lost/);
    assert.equal((await detail()).configUri, body.configUri);
  });

  it('is adopted with a warning of all that the apply changes, and never of a password', async () => {
    const configUri = 'postgresql://reporting:0ld@db.internal:5432/billing?sslmode=require';
    const body = { name: 'Billing', alias: 'billing', configUri: configUri.replace('reporting:', 'somebody:') };
    const { id } = await terraform.call('createDataSource', { body });
    terraform.configure(billing({ name: 'Invoices', more: written }));
    const changed = (await terraform.must(['plan'])).replaceAll(/\s+/g, ' ');
    assert.match(changed, /its name changes from "Billing" to "Invoices"; its connection changes from /);
    assert.match(
      changed,
      /from postgresql:\/\/somebody@db\.internal:5432\/billing\?sslmode=require to postgresql:\/\/reporting@/,
    );
    assert.match(changed, /its password is replaced by the declared one\./);
    assert.doesNotMatch(changed, /as it is|0ld|pl4nted/);
    await changeByHand({ configUri });
    terraform.configure(billing({ more: `password = "${password}"` }));
    const other = (await terraform.must(['plan'])).replaceAll(/\s+/g, ' ');
    assert.match(other, /changed to what is declared: its password is replaced by the declared one\./);
    assert.doesNotMatch(other, /its name|its connection|0ld|pl4nted/);
    await changeByHand({ configUri: configUri.replace('0ld', password) });
    terraform.configure(billing({ more: written }));
    assert.match((await terraform.apply()).replaceAll(/\s+/g, ' '), /taken over as it is\. From now on/);
    assert.equal((await detail()).id, id);
    await terraform.assertNoChanges();
  });

  it('keeps the older, sensitive password where Terraform itself puts it, and compares it', async () => {
    assert.ok(!(await terraform.converge(billing({ more: `password = "${password}"` }))).includes(password));
    assert.equal((await terraform.stateOf(address))['password'], password);
    await terraform.assertNoChanges();
    await changeByHand({ configUri: 'postgresql://reporting:stolen@db.internal:5432/billing?sslmode=require' });
    const { code, output } = await terraform.run(['plan', '-detailed-exitcode']);
    assert.equal(code, 2);
    assert.ok(!output.includes('stolen') && !output.includes(password));
    await terraform.apply();
    await terraform.assertNoChanges();
  });

  it('is imported by id and alias', async () => {
    await terraform.converge(billing({ more: written }));
    for (const id of [(await detail()).id, 'billing']) {
      await terraform.must(['state', 'rm', address]);
      await terraform.must(['import', address, id]);
      const { uri } = await terraform.stateOf(address);
      assert.equal(uri, 'postgresql://reporting@db.internal:5432/billing?sslmode=require');
      // Which password it has, no one can tell from outside: the first plan after the import sends it.
      assert.match(await terraform.apply(), /0 added, 1 changed, 0 destroyed/);
      await terraform.assertNoChanges();
    }
  });

  it('takes one that was made without an alias, gives it one, and can delete it before that', async () => {
    const configUri = 'postgresql://reporting@db.internal:5432/billing?sslmode=require';
    const importNew = async (): Promise<void> => {
      const { id } = await terraform.call('createDataSource', { body: { name: 'Billing', configUri } });
      terraform.configure(billing());
      await terraform.must(['import', address, id]);
    };
    await terraform.converge('');
    await importNew();
    assert.match(await terraform.apply(), /0 added, 1 changed, 0 destroyed/);
    assert.equal((await detail()).alias, 'billing');
    await terraform.assertNoChanges();
    await terraform.converge('');
    await importNew();
    await terraform.converge('');
    assert.deepEqual(await terraform.call('listDataSources', {}), []);
  });

  it('refuses a password in the URI, two passwords, and one without a version', async () => {
    const wrong: [string, RegExp][] = [
      [billing().replace('reporting@', `reporting:${password}@`), /carries a password, which would be in the state/],
      [billing({ more: `${written}\n password = "b"` }), /Give password_wo or password, not both/],
      [billing({ more: 'password_wo = "a"' }), /password_wo_version = 1/],
      [billing().replace('postgresql', 'oracle'), /has the scheme oracle/],
    ];
    for (const [hcl, message] of wrong) {
      terraform.configure(hcl);
      await terraform.refuses(['validate'], message);
    }
  });
});

function assertClean(name: string, content: Buffer): void {
  assert.ok(!content.includes(password), `${name} has the password`);
  // Private state is base64: the password may begin at any of three places of a group.
  for (const lead of ['', ' ', '  ']) {
    const inner = Buffer.from(`${lead}${password}`).toString('base64').slice(4, -4);
    assert.ok(!content.includes(inner), `${name} has the password in base64`);
  }
}
