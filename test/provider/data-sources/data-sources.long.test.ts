import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { shareAccess } from '../support/shared-access.ts';
import { useTerraform } from '../support/terraform.ts';

const reads = `
data "rolecall_person" "by_username" { username = "ADA" }
data "rolecall_person" "by_email" { email = "ada@example.com" }
data "rolecall_role" "analysts" { name = "analysts" }
data "rolecall_data_source" "billing" { alias = "billing" }
data "rolecall_snippet" "top" { name = "Top" }
data "rolecall_people" "all" {}
data "rolecall_roles" "all" {}
data "rolecall_data_sources" "all" {}
data "rolecall_permissions" "all" {}
data "rolecall_snippets" "all" {}
data "rolecall_access" "now" {}
output "all" {
  value = {
    person      = data.rolecall_person.by_username
    by_email    = data.rolecall_person.by_email.id
    role        = data.rolecall_role.analysts
    data_source = data.rolecall_data_source.billing
    snippet     = data.rolecall_snippet.top.text
    people      = data.rolecall_people.all.people
    roles       = data.rolecall_roles.all.roles
    sources     = data.rolecall_data_sources.all.data_sources
    permissions = data.rolecall_permissions.all.permissions
    snippets    = data.rolecall_snippets.all.snippets
    access      = data.rolecall_access.now.access
  }
}
`;

describe('the data sources', requires('terraform'), () => {
  const terraform = useTerraform();
  before(async () => {
    const { client } = terraform.workspace;
    await shareAccess(client, '2020-01-01T00:00:00.000Z', 3_000_000_000);
    await client.call('createSnippet', {
      body: {
        name: 'Top',
        description: '',
        text: 'select 1',
        isLocked: false,
        publicAccessLevel: 'none',
        owner: 'none',
      },
    });
  });

  it('give what has the given values', async () => {
    const { client } = terraform.workspace;
    const [ada] = await client.call('listPeople', {});
    await terraform.converge(`
data "rolecall_people" "locked" {
  locked = true
}
data "rolecall_people" "open" {
  locked = false
}
data "rolecall_permissions" "none" {
  person_id = "nobody"
}
data "rolecall_permissions" "of_ada" {
  person_id = "${ada!.id}"
}
data "rolecall_data_sources" "mysql" {
  type = "mysql"
}
data "rolecall_snippets" "public" {
  public_access_level = "none"
}
data "rolecall_access" "of_ada" {
  person_id = "${ada!.id}"
}
data "rolecall_access" "of_nobody" {
  person_id = "nobody"
}
output "counts" {
  value = [
    length(data.rolecall_people.locked.people),
    length(data.rolecall_people.open.people),
    length(data.rolecall_permissions.none.permissions),
    length(data.rolecall_permissions.of_ada.permissions),
    length(data.rolecall_data_sources.mysql.data_sources),
    length(data.rolecall_snippets.public.snippets),
    length(data.rolecall_access.of_ada.access),
    length(data.rolecall_access.of_nobody.access),
  ]
}
`);
    const { counts } = JSON.parse(await terraform.must(['output', '-json'])) as { counts: { value: number[] } };
    assert.deepEqual(counts.value, [0, 1, 0, 1, 0, 1, 1, 0]);
    await terraform.converge('');
  });

  it('give one and many of each, and who reaches what, for a list a collection', async () => {
    terraform.configure(reads);
    terraform.calls();
    await terraform.must(['plan']);
    const calls = terraform.calls();
    assert.equal(new Set(calls).size, calls.length, 'nothing is read twice');
    // A list for each collection, two for the role, and the whole workspace for who reaches what.
    assert.equal(calls.length, 5 + 2 + 1);
    await terraform.apply();
    const { all } = JSON.parse(await terraform.must(['output', '-json'])) as { all: { value: Record<string, never> } };
    const value = all.value as Record<string, { [name: string]: unknown }[] & Record<string, unknown>>;
    assert.equal(value['person']!['username'], 'ADA');
    assert.equal(value['person']!['id'], value['by_email']);
    assert.deepEqual(value['role']!['person_ids'], [value['by_email']]);
    assert.equal(value['data_source']!['uri'], 'postgresql://u@db.internal');
    assert.equal(value['snippet'], 'select 1');
    for (const name of ['people', 'roles', 'sources', 'permissions', 'snippets'])
      assert.equal(value[name]?.length, 1, name);
    const [row] = value['access']!;
    assert.deepEqual([row?.['username'], row?.['alias']], ['ada', 'billing']);
    const through = row?.['through'] as { role: string | null; until: string | null }[];
    assert.deepEqual(
      through.map(({ role }) => role),
      ['analysts', null],
    );
    assert.ok(!JSON.stringify(value).includes('s3cret'));
  });

  it('say what they did not find, and which key is missing', async () => {
    const wrong: [string, RegExp][] = [
      ['data "rolecall_person" "x" { username = "nobody" }', /has no person with the username "nobody"/],
      ['data "rolecall_person" "x" {}', /Give exactly one of id, username, email; none is given/],
      ['data "rolecall_role" "x" {\n id = "a"\n name = "b"\n}', /id and name are given/],
    ];
    for (const [hcl, message] of wrong) {
      terraform.configure(hcl);
      await terraform.refuses(['plan'], message);
    }
  });
});

describe('the functions', requires('terraform'), () => {
  const terraform = useTerraform();

  const outputs = async (hcl: string) => {
    await terraform.converge(hcl);
    const all = JSON.parse(await terraform.must(['output', '-json'])) as Record<string, { value: unknown }>;
    return Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value]));
  };

  it('read durations and take passwords out of URIs', async () => {
    const { seconds, uri } = await outputs(`
output "seconds" { value = provider::rolecall::duration_seconds("1h30m") }
output "uri" { value = provider::rolecall::redact_uri("mysql://u:s3cret@db/x?charset=utf8mb4") }`);
    assert.equal(seconds, 5400);
    assert.equal(uri, 'mysql://u@db/x?charset=utf8mb4');
  });

  it('end what they refuse with one full stop', async () => {
    terraform.configure('output "seconds" { value = provider::rolecall::duration_seconds("foo") }');
    await terraform.refuses(['plan'], /to 3153600000 seconds\. /);
  });

  it('give definitions in YAML as maps, from which everything is made', async () => {
    const hcl = `
locals {
  defined = provider::rolecall::definitions(<<-YAML
    apiVersion: rolecall.dev/v1alpha1
    kind: Person
    metadata: { name: ada, annotations: { rolecall.dev/protected: "false" } }
    spec: { name: Ada Lovelace, email: ada@example.com }
    ---
    apiVersion: rolecall.dev/v1alpha1
    kind: Role
    metadata: { name: analysts }
    spec: { people: [ada] }
    ---
    apiVersion: rolecall.dev/v1alpha1
    kind: DataSource
    metadata: { name: reports }
    spec: { uri: "sqlite:///srv/reports.db" }
    ---
    apiVersion: rolecall.dev/v1alpha1
    kind: Permission
    metadata: { name: ada-reports }
    spec: { person: ada, dataSource: reports, duration: 8h }
    YAML
  )
}
resource "rolecall_person" "all" {
  for_each  = local.defined.people
  username  = each.value.username
  name      = each.value.name
  email     = each.value.email
  locked    = each.value.locked
  protected = each.value.protected
}
resource "rolecall_role" "all" {
  for_each = local.defined.roles
  name     = each.value.name
}
resource "rolecall_role_people" "all" {
  for_each   = { for name, role in local.defined.roles : name => role if role.people != null }
  role_id    = rolecall_role.all[each.key].id
  person_ids = [for name in each.value.people : rolecall_person.all[name].id]
}
resource "rolecall_data_source" "all" {
  for_each = local.defined.data_sources
  name     = each.value.name
  alias    = each.value.alias
  uri      = each.value.uri
}
resource "rolecall_permission" "all" {
  for_each       = local.defined.permissions
  person_id      = rolecall_person.all[each.value.person].id
  data_source_id = rolecall_data_source.all[each.value.data_source].id
  starts_at      = each.value.starts_at
  expires_at     = each.value.expires_at
  duration       = each.value.duration
}`;
    assert.match(await terraform.converge(hcl), /5 added, 0 changed, 0 destroyed/);
    await terraform.assertNoChanges();
    const [permission] = await terraform.call('listPermissions', {});
    assert.equal(permission?.person.username, 'ada');
  });

  it('say what is wrong with a definition, with its line', async () => {
    terraform.configure(
      `output "x" { value = provider::rolecall::definitions("kind: Person\\nmetadata: { name: ada }\\nspec: { email: nobody }") }`,
    );
    await terraform.refuses(['plan'], /-:3:/, /is not an e-mail address/);
  });
});
