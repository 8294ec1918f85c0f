import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWrite } from '../../cli/support/recording-proxy.ts';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

/** People and data sources alike: how their resources are called, and the operation that reads who is in a role. */
interface Members {
  readonly one: string;
  readonly all: string;
  readonly word: string;
  readonly noun: string;
  readonly collection: 'listRolePeople' | 'listRoleDataSources';
  readonly objects: string;
  /** The reference to the members of these keys. */
  readonly ref: (key: string) => string;
}

const people: Members = {
  one: 'person',
  all: 'people',
  word: 'People',
  noun: 'person',
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
  noun: 'data source',
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
        if (isWrite(call)) seen.push(await inRole(role));
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

    const refused = (from: string, to: string) =>
      new RegExp(
        `${kind.word} would leave the role (analysts|support) for a moment .* ends a ${from} of .*, and a ${to} is to have the same .* such as the ${kind.noun} (bo|cy|di), .* Forget the ${from} instead: by a removed block with destroy = false`,
      );
    const outOfList = refused(listType, singleType);
    const outOfSingles = refused(singleType, listType);
    const late = `resource "terraform_data" "late" {\n  input = ${kind.ref('"bo"')}\n}\n`;
    const lateId = 'terraform_data.late.output';
    const bo = ids('bo');

    /** Each under a name that Terraform plans before the list m, and one that it plans after it. */
    const refusals: readonly {
      readonly what: string;
      readonly before: (name: string) => string;
      readonly after: (name: string) => string;
      readonly message: RegExp;
    }[] = [
      {
        what: 'a list is destroyed, and each member gets a resource',
        before: () => list('m', all),
        after: (name) => singles(name, everyone),
        message: outOfList,
      },
      {
        what: 'a list is switched off, and only one of its members gets a resource',
        before: () => list('m', all, { more: '  count = 1\n' }),
        after: (name) => list('m', all, { more: '  count = 0\n' }) + single(name, 'bo'),
        message: outOfList,
      },
      {
        what: 'both have create_before_destroy, and the resources depend on what else is there',
        before: () => list('m', all, { more: first }),
        after: (name) => singles(name, everyone, `  depends_on = [rolecall_role.s]\n${first}`),
        message: outOfList,
      },
      {
        what: 'a list gets smaller, and those whom it drops get resources',
        before: () => list('m', all),
        after: (name) => list('m', ids('cy')) + singles(name, ['bo', 'di']),
        message: /Two resources manage the (people|data sources) of one role/,
      },
      {
        what: 'a resource of another role comes to the role whose list is destroyed',
        before: (name) => list('m', all) + single(name, 'bo', { role: 's' }),
        after: (name) => single(name, 'bo'),
        message: outOfList,
      },
      {
        what: 'a list goes to another role, and its members stay by resources',
        before: () => list('m', all),
        after: (name) => list('m', all, { role: 's' }) + single(name, 'cy'),
        message: outOfList,
      },
      {
        what: 'a list is destroyed, and a member whose id is not known yet gets a resource',
        before: () => list('m', bo),
        after: (name) => late + single(name, lateId),
        message: outOfList,
      },
      {
        what: 'each member has a resource, which a list replaces',
        before: (name) => singles(name, everyone),
        after: () => list('m', all),
        message: outOfSingles,
      },
      {
        what: 'a resource goes to another role, and a list has its member',
        before: (name) => single(name, 'bo'),
        after: (name) => list('m', bo) + single(name, 'bo', { role: 's' }),
        message: outOfSingles,
      },
      {
        what: 'a resource is replaced by a list with an id that is not known yet',
        before: (name) => single(name, 'bo'),
        after: () => late + list('m', `[${lateId}]`),
        message: outOfSingles,
      },
      {
        what: 'a list comes from another role, where its members stay by resources, and replaces resources',
        before: (name) => list('m', all, { role: 's' }) + single(name, 'bo'),
        after: (name) => list('m', all) + single(name, 'bo', { role: 's' }),
        message: new RegExp(`${outOfList.source}|${outOfSingles.source}`),
      },
      {
        what: 'two lists with the same members change their roles',
        before: (name) => list('m', all) + list(name, bo, { role: 's' }),
        after: (name) => list('m', all, { role: 's' }) + list(name, bo),
        message: new RegExp(
          `and another ${listType} is to have .* Leave each list with its role, and change its ${kind.one}_ids`,
        ),
      },
      {
        what: 'the resources are numbered by count, and one before others is removed',
        before: (name) => single(name, kind.ref('["bo", "cy"][count.index]'), { more: '  count = 2\n' }),
        after: (name) => single(name, kind.ref('["cy", "di"][count.index]'), { more: '  count = 2\n' }),
        message: /Two addresses for the membership .* use for_each, with a moved block for each/,
      },
      {
        what: 'a resource goes to another role, and a new one takes its member',
        before: (name) => single(name, 'bo'),
        after: (name) => single(name, 'bo', { role: 's' }) + single('m', 'bo'),
        message: new RegExp(`Two addresses for the (${kind.noun} bo in that role|membership)`),
      },
    ];
    for (const { what, before, after, message } of refusals) {
      it(`are refused where ${what}`, async () => {
        for (const name of kind === people ? ['a', 'z'] : ['z']) {
          await terraform.converge(given() + before(name));
          const there = [await inRole(), await inRole('support')];
          terraform.calls();
          terraform.configure(given() + after(name));
          await terraform.refuses(['apply', '-auto-approve', '-parallelism=1'], message);
          assert.deepEqual(terraform.calls().filter(isWrite), []);
          assert.deepEqual([await inRole(), await inRole('support')], there);
          await terraform.converge(given());
        }
      });
    }

    it('are refused where a list is destroyed that was imported beside their resources', async () => {
      await terraform.converge(given() + single('a', 'bo'));
      terraform.configure(given() + single('a', 'bo') + list('m', bo));
      await terraform.must(['import', `${listType}.m`, 'analysts']);
      terraform.configure(given() + single('a', 'bo'));
      await terraform.refuses(['apply', '-auto-approve'], outOfList);
      terraform.configure(given() + list('m', bo));
      await terraform.refuses(['apply', '-auto-approve'], outOfSingles);
      for (const seen of await witness(given() + single('a', 'bo') + forget(listType, 'm')))
        assert.deepEqual(seen, ['bo']);
      await terraform.converge(given());
      assert.deepEqual(await inRole(), []);
    });

    const allowed: readonly {
      readonly what: string;
      readonly before: string;
      readonly after: string;
      readonly always: readonly string[];
    }[] = [
      {
        what: 'the list is forgotten',
        before: list('m', all),
        after: singles('a', everyone) + forget(listType, 'm'),
        always: everyone,
      },
      {
        what: 'the list is forgotten after it dropped who is to leave',
        before: list('m', ids('bo', 'cy')),
        after: singles('a', ['bo', 'cy']) + forget(listType, 'm'),
        always: ['bo', 'cy'],
      },
      {
        what: 'their resources are forgotten, and the list takes out whom it does not name',
        before: singles('a', everyone),
        after: list('m', ids('bo', 'cy')) + forget(singleType, 'a'),
        always: ['bo', 'cy'],
      },
      {
        what: 'only resources of those are destroyed whom the list does not name',
        before: singles('a', ['bo', 'cy']) + single('z', 'di'),
        after: list('m', ids('bo', 'cy')) + forget(singleType, 'a'),
        always: ['bo', 'cy'],
      },
      {
        what: 'the list gets an index, and another one by a moved block',
        before: list('m', all),
        after: `moved {\n  from = ${listType}.m\n  to   = ${listType}.m["x"]\n}\n${list('m', all, { more: '  for_each = toset(["x"])\n' })}`,
        always: everyone,
      },
      {
        what: 'the numbered resources get keys by moved blocks, and one is removed',
        before: single('a', kind.ref('["bo", "cy", "di"][count.index]'), { more: '  count = 3\n' }),
        after:
          [...everyone.entries()]
            .map(
              ([index, key]) => `moved {\n  from = ${singleType}.a[${index}]\n  to   = ${singleType}.a["${key}"]\n}\n`,
            )
            .join('') + singles('a', ['cy', 'di']),
        always: ['cy', 'di'],
      },
      {
        what: 'the list goes to another role, and another list of theirs is none of its members',
        before: list('m', bo) + list('z', ids('cy'), { role: 's' }),
        after: list('m', bo, { role: 's' }) + list('z', ids('cy')),
        always: [],
      },
      {
        what: 'the list is destroyed, and another one gets a resource',
        before: list('m', bo),
        after: single('a', 'cy'),
        always: [],
      },
      {
        what: 'the list is destroyed, and they get resources in another role',
        before: list('m', all),
        after: singles('a', everyone).replace('rolecall_role.r.id', 'rolecall_role.s.id'),
        always: [],
      },
    ];
    for (const { what, before, after, always } of allowed) {
      it(`keep the role at each call where ${what}`, async () => {
        await terraform.converge(given() + before);
        for (const seen of await witness(given() + after))
          assert.deepEqual(
            always.filter((name) => !seen.includes(name)),
            [],
          );
        await terraform.assertNoChanges();
        await terraform.converge(given());
        assert.deepEqual([await inRole(), await inRole('support')], [[], []]);
      });
    }

    it('keep the role at each call where their resource is replaced', async () => {
      for (const [hcl, address, there] of [
        [list('m', all), `${listType}.m`, everyone],
        [single('m', 'bo'), `${singleType}.m`, ['bo']],
        [list('m', all, { more: first }), `${listType}.m`, everyone],
      ] as const) {
        await terraform.converge(given() + hcl);
        for (const seen of await witness(given() + hcl, 'analysts', `-replace=${address}`))
          assert.deepEqual(seen, there);
        await terraform.must(['taint', address]);
        for (const seen of await witness(given() + hcl)) assert.deepEqual(seen, there);
        await terraform.assertNoChanges();
        await terraform.converge(given());
        assert.deepEqual(await inRole(), []);
      }
    });

    it('leave the role with their list where nothing takes over, also if it gets another name or goes too', async () => {
      for (const [after, role] of [
        [given(), 'analysts'],
        [given('researchers'), 'researchers'],
      ] as const) {
        await terraform.converge(given() + list('m', all));
        await terraform.converge(after);
        assert.deepEqual(await inRole(role), []);
      }
      await terraform.converge(given() + list('m', all));
      await terraform.converge(kind.objects);
      await terraform.converge(given() + list('m', all));
      await terraform.must(['destroy', '-auto-approve']);
      assert.deepEqual(await terraform.call('listRoles', {}), []);
    });
  });
}
