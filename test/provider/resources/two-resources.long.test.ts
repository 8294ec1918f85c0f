import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const person = (resource: string, username = 'zoe', more = '') => `resource "rolecall_person" "${resource}" {
  username = "${username}"
  name     = "Zoe"
  email    = "${username}@example.com"
  ${more}
}
`;
const role = (resource: string, name = 'zoo', more = '') => `resource "rolecall_role" "${resource}" {
  name = "${name}"
  ${more}
}
`;
const source = (resource: string, alias = 'zebra') => `resource "rolecall_data_source" "${resource}" {
  name  = "Zebra"
  alias = "${alias}"
  uri   = "sqlite:///data/zebra.db"
}
`;
const member = (resource: string, more = '') => `resource "rolecall_role_person" "${resource}" {
  role_id   = rolecall_role.base.id
  person_id = rolecall_person.base.id
  ${more}
}
`;
const window = 'starts_at = "2040-01-01T00:00:00Z"\n  expires_at = "2041-01-01T00:00:00Z"';
const permission = (resource: string, more = window) => `resource "rolecall_permission" "${resource}" {
  person_id      = rolecall_person.base.id
  data_source_id = rolecall_data_source.base.id
  ${more}
}
`;
const snippet = (resource: string, more = '', name = 'Top') => `resource "rolecall_snippet" "${resource}" {
  name = "${name}"
  text = "select 1"
  ${more}
}
`;
const base = person('base', 'base') + role('base', 'base');

const cases: readonly { what: string; given?: string; one: string; two: string; message: RegExp }[] = [
  {
    what: 'a person',
    one: person('one', 'zoe', 'protected = true'),
    two: person('two', 'ZOE'),
    message: /Two resources manage the person (zoe|ZOE)/,
  },
  {
    what: 'a role',
    one: role('one', 'zoo', 'protected = true'),
    two: role('two', 'zoo'),
    message: /Two resources manage the role zoo/,
  },
  {
    what: 'a data source',
    one: source('one'),
    two: source('two'),
    message: /Two resources manage the data source zebra/,
  },
  {
    what: 'a membership',
    given: base,
    one: member('one'),
    two: member('two'),
    message: /Two resources manage the membership/,
  },
  {
    what: 'a permission',
    given: base + source('base'),
    one: permission('one'),
    two: permission('two', 'starts_at = "2040-01-01T01:00:00+01:00"\n  expires_at = "2041-01-01T00:00:00Z"'),
    message: /Two resources manage the permission of \w+ on \w+ from 2040-01-01T00:00:00.000Z until 2041-/,
  },
  {
    what: 'a snippet without an owner',
    one: snippet('one'),
    two: snippet('two'),
    message: /Two resources manage the snippet Top/,
  },
  {
    what: 'a snippet of one owner',
    given: base,
    one: snippet('one', 'owner_role_id = rolecall_role.base.id'),
    two: snippet('two', 'owner_role_id = rolecall_role.base.id'),
    message: /Two resources manage the snippet Top/,
  },
];

describe('two resources of one object', requires('terraform'), () => {
  const terraform = useTerraform('');
  const usernames = async () => (await terraform.call('listPeople', {})).map(({ username }) => username).sort();
  const roleNames = async () => (await terraform.call('listRoles', {})).map(({ name }) => name).sort();
  const idOf = async (write: (resource: string, name: string) => string, resource: string) => {
    const [, type = ''] = /resource "(\w+)"/.exec(write(resource, '')) ?? [];
    return (await terraform.stateOf(`${type}.${resource}`))['id'];
  };
  const refuses = async (message: RegExp, args = ['plan']) => {
    await terraform.refuses(args, message);
  };

  for (const { what, given = '', one, two, message } of cases) {
    it(`are an error of the plan where they would make ${what}, and where one of them has it`, async () => {
      await terraform.converge(given);
      terraform.configure(given + one + two);
      await refuses(message);
      await terraform.converge(given + one);
      terraform.configure(given + one + two);
      await refuses(message);
      await terraform.converge(given + one.replace('protected = true', ''));
    });
  }

  it('are an error of the plan where both would adopt a person who is there', async () => {
    const body = { username: 'zoe', name: 'Zoe', email: 'zoe@example.com' };
    await terraform.call('createPerson', { body });
    terraform.configure(person('one') + person('two'));
    await refuses(/Two resources manage the person zoe/);
    await terraform.converge(person('one'));
  });

  it('are an error where a role is renamed to what another one has', async () => {
    await terraform.converge(role('one') + role('two', 'yak'));
    terraform.configure(role('one') + role('two', 'zoo'));
    await refuses(/Two resources manage the role zoo/);
    assert.deepEqual(await roleNames(), ['yak', 'zoo']);
  });

  it('are an error of the apply where the username is not known before', async () => {
    const late = 'resource "terraform_data" "late" {\n  input = "zoe"\n}\n';
    const unknown = (resource: string) => person(resource).replace('"zoe"', 'terraform_data.late.output');
    terraform.configure(late + unknown('one') + unknown('two').replace('zoe@', 'yan@'));
    await refuses(/Two resources manage the person zoe/, ['apply', '-auto-approve']);
    assert.deepEqual(await usernames(), ['zoe']);
  });

  it('that are in the state already are refused, and neither deletes the object of the other', async () => {
    await terraform.converge(person('one', 'zoe', 'protected = true'));
    terraform.configure(person('one', 'zoe', 'protected = true') + person('two'));
    await terraform.must(['import', 'rolecall_person.two', 'zoe']);
    await refuses(/Two resources manage the person zoe/);
    terraform.configure(person('one', 'zoe', 'protected = true'));
    await refuses(/Two addresses for the person zoe/, ['apply', '-auto-approve']);
    assert.deepEqual(await usernames(), ['zoe']);
    await terraform.must(['state', 'rm', 'rolecall_person.two']);
    await terraform.assertNoChanges();
    await terraform.converge(person('one'));
  });

  it('are told from one that was renamed, whichever of the two Terraform plans first', async () => {
    for (const [old, fresh] of [
      ['one', 'two'],
      ['two', 'one'],
    ] as const) {
      await terraform.converge(role(old, 'zoo', 'protected = true'));
      terraform.configure(role(fresh, 'zoo', 'protected = true'));
      await terraform.refuses(['plan', '-parallelism=1'], /Two addresses for the role zoo .* moved block/);
      await terraform.converge(role(old));
      await terraform.converge('');
    }
  });

  it('may be one that was renamed, which the plan says where it does not know of the old address', async () => {
    const unadopted = (block: string) => block.replace('"one" {', '"one" {\n  adopt = false');
    const given = base + source('base');
    const secret = 'uri   = "mysql://u@db/zoo"\n  password_wo = "sesame"\n  password_wo_version = 1';
    const zoo = source('one', 'zoo');
    for (const [made, renamed, message] of [
      [person('one'), unadopted(person('one')), 'Already there: the person zoe'],
      [role('one'), unadopted(role('one')), 'Already there: the role zoo'],
      [
        zoo.replace(/uri .*/, secret),
        zoo.replace(/uri .*/, 'uri = "mysql://u@db/zebra"'),
        'The password would be lost',
      ],
      [member('one'), unadopted(member('one')), 'Already there: the person base in that role'],
      [permission('one'), unadopted(permission('one')), 'Already there: the permission of base on zebra'],
      [snippet('one'), unadopted(snippet('one')), 'Already there: the snippet Top'],
    ] as const) {
      await terraform.converge(given + made);
      const [, type = ''] = /resource "(\w+)" "one"/.exec(made) ?? [];
      await terraform.must(['state', 'rm', `${type}.one`]);
      terraform.configure(given + renamed);
      await terraform.refuses(
        ['plan'],
        new RegExp(`${message} .* If the resource was renamed, say so with a moved block, and that is all\\. If not: `),
      );
      await terraform.converge(given + made);
      await terraform.converge('');
    }
    // What another client made is none that was renamed.
    await terraform.call('createRole', { body: { name: 'zoo' } });
    terraform.configure(unadopted(role('one')));
    const said = await terraform.refuses(['plan'], /Already there: the role zoo/);
    assert.doesNotMatch(said, /moved block/);
    await terraform.converge(role('one'));
  });

  it('are none where one is forgotten, moved, or replaced', async () => {
    await terraform.converge(person('one') + role('one'));
    const forgotten = 'removed {\n  from = rolecall_person.one\n  lifecycle {\n    destroy = false\n  }\n}\n';
    const moved = 'moved {\n  from = rolecall_role.one\n  to   = rolecall_role.two\n}\n';
    // OpenTofu plans both as a replacement of the person.
    if ((await terraform.must(['version'])).startsWith('OpenTofu'))
      await terraform.converge(forgotten + moved + role('two'));
    await terraform.converge(forgotten + moved + person('two') + role('two'));
    await terraform.assertNoChanges();
    await terraform.converge(
      forgotten + moved + person('two') + role('two'),
      '-replace=rolecall_person.two',
      '-replace=rolecall_role.two',
    );
    await terraform.assertNoChanges();
    assert.deepEqual(await usernames(), ['zoe']);
  });

  it('are none where they swap their names, or one takes what another one gives up', async () => {
    // The username goes with the e-mail address.
    for (const write of [person, role, source]) {
      const three = ([one = '', two, other]: readonly string[]) =>
        write('one', one) + write('two', two) + write('three', other);
      const ids = () => Promise.all(['one', 'two', 'three'].map((name) => idOf(write, name)));
      await terraform.converge(three(['xan', 'yan', 'zoe']));
      const before = await ids();
      for (const names of [
        ['yan', 'xan', 'zoe'],
        ['xan', 'zoe', 'yan'],
        ['yan', 'zoe', 'wim'],
      ]) {
        await terraform.converge(three(names));
        await terraform.assertNoChanges();
        assert.deepEqual(await ids(), before);
      }
      await terraform.converge('');
    }
  });

  it('are none where windows or owners differ, owners change places, or one is replaced', async () => {
    const role = 'owner_role_id = rolecall_role.base.id';
    const later = window.replaceAll('204', '205');
    const given = base + source('base');
    await terraform.converge(
      given + permission('one') + permission('two', later) + snippet('one') + snippet('two', role),
    );
    await terraform.assertNoChanges();
    await terraform.apply('-replace=rolecall_permission.one', '-replace=rolecall_snippet.one');
    await terraform.assertNoChanges();
    await terraform.converge(
      given + permission('one') + permission('two', later) + snippet('one', role) + snippet('two'),
    );
    await terraform.assertNoChanges();
    await terraform.must(['taint', 'rolecall_permission.two']);
    await terraform.apply();
    await terraform.assertNoChanges();
  });

  it('are none where two permissions swap their windows, and neither is lost', async () => {
    const later = window.replaceAll('204', '205');
    const given = base + source('base');
    await terraform.converge(given + permission('one') + permission('two', later));
    const starts = async () =>
      (await terraform.call('listPermissions', {})).map(({ startsAt }) => startsAt.slice(0, 4)).sort();
    terraform.configure(given + permission('one', later) + permission('two'));
    for (const args of [[], ['-parallelism=1']]) {
      await terraform.apply(...args);
      assert.deepEqual(await starts(), ['2040', '2050']);
      await terraform.assertNoChanges();
      terraform.configure(given + permission('one') + permission('two', later));
    }
  });

  it('are refused where a permission that says no start means one that another resource has, and are none once it says one', async () => {
    const given = base + source('base');
    const ends = ['duration = "8h"', 'expires_at = "2041-01-01T00:00:00Z"'];
    for (const end of ends) {
      await terraform.converge(given + permission('one', end));
      terraform.configure(given + permission('one', end) + permission('two', end));
      for (const args of [
        ['apply', '-auto-approve'],
        ['plan', '-parallelism=1'],
      ])
        await refuses(/Two resources manage the permission of base on zebra from .* a starts_at of its own/, args);
      terraform.configure(given + permission('zwei', end) + permission('one', end));
      await refuses(/Two resources manage the permission of base on zebra/, ['plan', '-parallelism=1']);
      await terraform.converge(
        given + permission('one', end) + permission('two', `starts_at = "2040-01-01T00:00:00Z"\n  ${end}`),
      );
      await terraform.assertNoChanges();
      await terraform.converge(given);
    }
    // Both are new: each is a permission of its own, even if both begin in the same second.
    for (const end of ends) {
      await terraform.converge(given + permission('one', end) + permission('two', end));
      await terraform.assertNoChanges();
      assert.equal((await terraform.call('listPermissions', {})).length, 2);
      await terraform.converge(given);
    }
  });

  it('are refused where a new one takes the name that another one gives up, and are none in two applies', async () => {
    const alias = (resource: string, name: string) => source(resource, name);
    const snippets = (resource: string, name: string) => snippet(resource, '', name);
    for (const [type, what, write] of [
      ['data_source', 'data source', alias],
      ['snippet', 'snippet', snippets],
    ] as const) {
      // Terraform plans them by their addresses.
      for (const [old, fresh] of [
        ['one', 'two'],
        ['two', 'one'],
      ] as const) {
        await terraform.converge(write(old, 'first'));
        terraform.configure(write(old, 'second') + write(fresh, 'first'));
        await refuses(new RegExp(`Another resource gives the ${what} first up`), [
          'apply',
          '-auto-approve',
          '-parallelism=1',
        ]);
        await terraform.apply(`-target=rolecall_${type}.${old}`);
        await terraform.apply();
        await terraform.assertNoChanges();
      }
      await terraform.converge('');
    }
  });
});
