import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

/** People and data sources alike: how their resources are called, and the operation that reads who is in a role. */
interface Members {
  readonly one: string;
  readonly all: string;
  readonly word: string;
  readonly collection: 'listRolePeople' | 'listRoleDataSources';
  readonly objects: string;
  /** The reference to the members of these keys. */
  readonly ref: (key: string) => string;
}

const people: Members = {
  one: 'person',
  all: 'people',
  word: 'People',
  collection: 'listRolePeople',
  objects: `resource "rolecall_person" "p" {
  for_each = toset(["bo", "cy", "di"])
  username = each.key
  name     = each.key
  email    = "\${each.key}@example.com"
}
`,
  ref: (key) => `rolecall_person.p[${key}].id`,
};
const dataSources: Members = {
  one: 'data_source',
  all: 'data_sources',
  word: 'Data sources',
  collection: 'listRoleDataSources',
  objects: `resource "rolecall_data_source" "p" {
  for_each = toset(["bo", "cy", "di"])
  name     = each.key
  alias    = each.key
  uri      = "sqlite:///data/\${each.key}.db"
}
`,
  ref: (key) => `rolecall_data_source.p[${key}].id`,
};

const roles = (name = 'analysts') => `resource "rolecall_role" "r" {
  name = "${name}"
}
resource "rolecall_role" "s" {
  name = "support"
}
`;
const first = '  lifecycle {\n    create_before_destroy = true\n  }\n';
const forget = (type: string, name: string) =>
  `removed {\n  from = ${type}.${name}\n  lifecycle {\n    destroy = false\n  }\n}\n`;

for (const kind of [people, dataSources]) {
  const listType = `rolecall_role_${kind.all}`;
  const singleType = `rolecall_role_${kind.one}`;
  const ids = (...keys: string[]) => `[${keys.map((key) => kind.ref(`"${key}"`)).join(', ')}]`;
  const list = (name: string, members: string, { role = 'r', more = '' } = {}) => `resource "${listType}" "${name}" {
  role_id = rolecall_role.${role}.id
  ${kind.one}_ids = ${members}
${more}}
`;
  const single = (name: string, key: string, { role = 'r', more = '' } = {}) => `resource "${singleType}" "${name}" {
  role_id = rolecall_role.${role}.id
  ${kind.one}_id = ${key.includes('.') ? key : kind.ref(`"${key}"`)}
${more}}
`;
  const singles = (name: string, keys: readonly string[], more = '') =>
    single(name, kind.ref('each.key'), {
      more: `  for_each = toset([${keys.map((key) => `"${key}"`).join(', ')}])\n${more}`,
    });
  const everyone = ['bo', 'cy', 'di'];
  const all = ids(...everyone);
  const given = (roleName?: string) => kind.objects + roles(roleName);
  /** OpenTofu and Terraform plan by address, so each is tried under a name that sorts first and one that sorts last. */
  const names = ['a', 'z'];

  describe(`${kind.all} who go from a list of a role to resources of their own, or back`, requires('terraform'), () => {
    const terraform = useTerraform('');
    const inRole = async (name = 'analysts') => {
      const role = (await terraform.call('listRoles', {})).find((each) => each.name === name)?.id ?? '';
      const members = await terraform.call(kind.collection, { params: { role } });
      return members.map((each) => ('username' in each ? each.username : (each.alias ?? ''))).sort();
    };

    /** Applies a configuration, and tells who was in the role at the moment of each call. */
    async function witness(hcl: string, role = 'analysts', ...args: string[]): Promise<string[][]> {
      const seen = [await inRole(role)];
      const { proxy } = terraform.workspace;
      proxy.intercept = async (call) => {
        if (!call.startsWith('GET')) seen.push(await inRole(role));
        return undefined;
      };
      try {
        await terraform.converge(hcl, ...args);
      } finally {
        proxy.intercept = () => Promise.resolve(undefined);
      }
      seen.push(await inRole(role));
      return seen;
    }

    async function refuses(before: string, after: string, message: RegExp) {
      await terraform.converge(before);
      const there = [await inRole(), await inRole('support')];
      terraform.calls();
      for (const parallelism of [1, 10]) {
        terraform.configure(after);
        await terraform.refuses(['apply', '-auto-approve', `-parallelism=${parallelism}`], message);
      }
      assert.deepEqual(
        terraform.calls().filter((call) => !call.startsWith('GET')),
        [],
      );
      assert.deepEqual([await inRole(), await inRole('support')], there);
      await terraform.converge(before);
    }

    const outOfList = new RegExp(
      `${kind.word} would leave the role analysts for a moment .*, and a ${singleType} is to have .* such as the .* (bo|cy|di), .* Forget the ${listType} instead: by a removed block with destroy = false`,
    );
    const outOfSingles = new RegExp(
      `${kind.word} would leave the role analysts for a moment .*, and a ${listType} is to have .* such as the .* (bo|cy|di), .* Forget the ${singleType} instead: by a removed block with destroy = false`,
    );

    it('are refused where the list would be destroyed, and keep the role at each call where it is forgotten', async () => {
      for (const name of names) {
        await refuses(given() + list('m', all), given() + singles(name, everyone), outOfList);
        await terraform.converge(given() + list('m', all));
        const after = given() + singles(name, everyone) + forget(listType, 'm');
        for (const seen of await witness(after)) assert.deepEqual(seen, everyone);
        await terraform.assertNoChanges();
        await terraform.converge(given());
      }
    });
  });
}
