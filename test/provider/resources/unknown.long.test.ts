import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { startTerraform, useTerraform } from '../support/terraform.ts';

/** A value before and after a change, as HCL. */
type Pair = readonly [string, string];

/**
 * What each resource takes. The number keeps natural keys apart, as one attribute at a time is made unknown, each in a
 * resource of its own.
 */
const cases: readonly { type: string; attributes: (n: number) => Readonly<Record<string, Pair>> }[] = [
  {
    type: 'rolecall_person',
    attributes: (n) => ({
      username: [`"p${n}"`, `"q${n}"`],
      name: [`"Person ${n}"`, `"Another ${n}"`],
      email: [`"p${n}@example.com"`, `"q${n}@example.com"`],
      locked: ['false', 'true'],
      protected: ['false', 'false'],
      adopt: ['true', 'false'],
    }),
  },
  {
    type: 'rolecall_role',
    attributes: (n) => ({ name: [`"r${n}"`, `"s${n}"`], protected: ['false', 'true'], adopt: ['true', 'false'] }),
  },
  {
    type: 'rolecall_data_source',
    attributes: (n) => ({
      name: [`"Source ${n}"`, `"Well ${n}"`],
      alias: [`"d${n}"`, `"e${n}"`],
      uri: ['"postgresql://u@db.internal:5432/a"', '"postgresql://u@db.internal:5432/b"'],
      password_wo: ['"sesame"', '"simsim"'],
      password_wo_version: ['1', '2'],
      protected: ['false', 'true'],
    }),
  },
  {
    type: 'rolecall_data_source',
    attributes: (n) => ({
      name: [`"Source ${n}"`, `"Well ${n}"`],
      alias: [`"d${n}"`, `"e${n}"`],
      uri: ['"mysql://u@db.internal/a"', '"mysql://u@db.internal/b"'],
      password: ['"sesame"', '"simsim"'],
    }),
  },
  {
    type: 'rolecall_role_person',
    attributes: (n) => ({
      role_id: [role(n, 'a'), role(n, 'b')],
      person_id: [person('a'), person('b')],
    }),
  },
  {
    type: 'rolecall_role_people',
    attributes: (n) => ({
      role_id: [role(n, 'a'), role(n, 'b')],
      person_ids: [`[${person('a')}]`, `[${person('a')}, ${person('b')}]`],
    }),
  },
  {
    type: 'rolecall_role_data_source',
    attributes: (n) => ({ role_id: [role(n, 'a'), role(n, 'b')], data_source_id: [source('a'), source('b')] }),
  },
  {
    type: 'rolecall_role_data_sources',
    attributes: (n) => ({ role_id: [role(n, 'a'), role(n, 'b')], data_source_ids: [`[${source('a')}]`, '[]'] }),
  },
  {
    type: 'rolecall_permission',
    attributes: (n) => ({
      person_id: [person('a'), person('b')],
      data_source_id: [source('a'), source('b')],
      starts_at: [`"${2030 + n}-01-01T00:00:00Z"`, `"${2030 + n}-02-01T00:00:00Z"`],
      expires_at: [`"${2030 + n}-06-01T00:00:00Z"`, `"${2030 + n}-07-01T00:00:00Z"`],
    }),
  },
  {
    type: 'rolecall_permission',
    attributes: (n) => ({
      person_id: [person('a'), person('b')],
      data_source_id: [source('a'), source('b')],
      starts_at: [`"${2030 + n}-01-01T00:00:00Z"`, `"${2030 + n}-02-01T00:00:00Z"`],
      duration: ['"8h"', '"9h"'],
    }),
  },
  {
    type: 'rolecall_snippet',
    attributes: (n) => ({
      name: [`"Snippet ${n}"`, `"Query ${n}"`],
      text: ['"select 1"', '"select 2"'],
      description: ['"One"', '"Two"'],
      owner_role_id: [role(n, 'a'), role(n, 'b')],
      public_access_level: ['"none"', '"read_only"'],
      locked: ['false', 'true'],
    }),
  },
];

const person = (name: 'a' | 'b'): string => `rolecall_person.${name}.id`;
const source = (name: 'a' | 'b'): string => `rolecall_data_source.${name}.id`;
const role = (n: number, name: 'a' | 'b'): string => `rolecall_role.${name}${n}.id`;

/** Each attribute of each case, unknown until something that is applied before it. */
const variants = cases
  .flatMap(({ type, attributes }) => Object.keys(attributes(0)).map((late) => ({ type, attributes, late })))
  .map((variant, n) => ({ ...variant, n }));

function configuration(turn: 0 | 1): string {
  const objects = (['a', 'b'] as const).map(
    (name) => `resource "rolecall_person" "${name}" {
  username = "${name}"
  name     = "${name}"
  email    = "${name}@example.com"
}
resource "rolecall_data_source" "${name}" {
  name = "${name}"
  alias = "${name}"
  uri  = "postgresql://u@db.internal/${name}"
}
`,
  );
  const blocks = variants.map(({ type, attributes, late, n }) => {
    const own = attributes(n);
    const lines = Object.entries(own).map(([name, pair]) => {
      const value = name === late ? `terraform_data.late${n}.output` : pair[turn];
      return `  ${name} = ${value}\n`;
    });
    // A set becomes a list on its way through.
    const roles = (['a', 'b'] as const).map(
      (name) => `resource "rolecall_role" "${name}${n}" {\n  name = "${name}${n}"\n}\n`,
    );
    return `${roles.join('')}resource "terraform_data" "late${n}" {
  input = ${own[late]?.[turn] ?? ''}
}
resource "${type}" "n${n}" {
${lines.join('')}}
`;
  });
  return `provider "rolecall" {\n  max_removal_percent = 100\n}\n${[...objects, ...blocks].join('')}`;
}

describe('what is unknown while Terraform plans', requires('terraform'), () => {
  const terraform = useTerraform();

  it('is planned and then created, whichever attribute it is', async () => {
    await terraform.converge(configuration(0));
    await terraform.assertNoChanges();
  });

  it('is planned and then changed, whichever attribute it is', async () => {
    await terraform.converge(configuration(1));
    await terraform.assertNoChanges();
    const changed = await terraform.call('listPeople', {});
    assert.equal(changed.filter(({ username }) => username.startsWith('p')).length, 0);
  });

  it('may be where the workspace is: what is to be created is planned without it', async () => {
    await using another = await startTerraform();
    const { env } = another.workspace;
    another.configure(`resource "terraform_data" "workspace" {
  input = { url = "${env['ROLECALL_URL'] ?? ''}", key_id = "${env['ROLECALL_KEY_ID'] ?? ''}" }
}
provider "rolecall" {
  url    = terraform_data.workspace.output.url
  key_id = terraform_data.workspace.output.key_id
}
resource "rolecall_role" "one" {
  name = "one"
}
`);
    await another.apply();
    await another.assertNoChanges();
  });
});
