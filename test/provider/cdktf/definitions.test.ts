import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { DefinitionsError, DefinitionsProps } from '@rolecall/cdktf';
import { problemCodes } from '@rolecall/crds';
import type { TerraformStack } from 'cdktf';
import { editions as names } from '../../../tools/cdktf/editions.ts';
import { root } from '../../cli/support/run-command.ts';
import { type Loaded, loadEdition } from './support/edition.ts';
import { newStack, resourcesOf, synth, withDefinitions } from './support/synth.ts';

const person = (name: string, metadata = '', spec = ''): string => `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: { name: ${name}${metadata} }
spec: { ${spec}name: Somebody, email: ${name}@example.com }
`;
const ada = person('ada');
const grace = person('grace');
const billing = `apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata: { name: billing }
spec: { uri: 'sqlite:///srv/billing.db?mode=ro' }
`;
const analysts = `apiVersion: rolecall.dev/v1alpha1
kind: Role
metadata: { name: analysts }
spec: { people: [ada], dataSources: [billing] }
`;
const membership = `apiVersion: rolecall.dev/v1alpha1
kind: RoleMembership
metadata: { name: grace-analysts }
spec: { role: analysts, person: grace }
`;
const permission = `apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: grace-billing }
spec: { person: grace, dataSource: billing, duration: 8h }
`;

const together = (...documents: string[]): string => documents.join('---\n');

for (const edition of names) {
  describe(`Definitions for ${edition.library}`, () => {
    let loaded: Loaded;
    before(async () => {
      loaded = await loadEdition(edition);
    });

    const define = (files: Record<string, string>, props: Partial<DefinitionsProps> = {}) =>
      withDefinitions(files, (folder) =>
        synth(loaded, (stack) => new loaded.rolecall.Definitions(stack, 'all', { paths: [folder], ...props })),
      );

    const defined = (...documents: string[]) => define({ 'all.yaml': together(...documents) }).configuration;

    const problemsOf = (files: Record<string, string>, props: Partial<DefinitionsProps> = {}): DefinitionsError => {
      try {
        define(files, props);
      } catch (error) {
        if (error instanceof loaded.rolecall.DefinitionsError) return error;
        throw error;
      }
      throw new Error('there are no problems');
    };

    it('builds the list of data sources that a role selects, with those of memberships', () => {
      const selecting = analysts.replace(
        'dataSources: [billing]',
        'dataSourceSelector: { matchLabels: { tier: gold } }',
      );
      const gold = billing.replace('name: billing', 'name: gold, labels: { tier: gold }');
      const added = membership.replace('person: grace', 'dataSource: billing');
      const configured = defined(ada, billing, gold, selecting, added);
      const lists = [...resourcesOf(configured)].filter(([address]) => address.startsWith('rolecall_role_data_source'));
      assert.deepEqual(
        lists.map(([, list]) => (list['data_source_ids'] as string[]).map((id) => id.replace(/_[0-9A-F]{8}\./, '.'))),
        [['${rolecall_data_source.all_data_source_gold.id}', '${rolecall_data_source.all_data_source_billing.id}']],
      );
    });

    it('builds the list of data sources that a role gives with those that it contains', () => {
      const containing = analysts.replace('dataSources: [billing]', 'roles: [inner]');
      const inner = analysts.replace('name: analysts', 'name: inner').replaceAll(/people: \[.*?\],?/g, '');
      const configured = defined(ada, billing, containing, inner);
      const lists = [...resourcesOf(configured)].filter(([address]) => address.startsWith('rolecall_role_data_source'));
      assert.deepEqual(
        lists.map(([, list]) => (list['data_source_ids'] as string[]).map((id) => id.replace(/_[0-9A-F]{8}\./, '.'))),
        [
          ['${rolecall_data_source.all_data_source_billing.id}'],
          ['${rolecall_data_source.all_data_source_billing.id}'],
        ],
      );
    });

    it('lets Terraform ignore what a definition ignores', () => {
      const configured = defined(person('ada', '', 'ignore: [name], '), person('grace'));
      const ignored = [...resourcesOf(configured).values()].map((each) => each['lifecycle']);
      assert.deepEqual(ignored, [{ ignore_changes: ['name'] }, undefined]);
    });

    it('builds a resource for each object of the example, the same in every run', (context) => {
      const paths = [path.relative(process.cwd(), path.join(root, 'examples/acme'))];
      const password = (stack: TerraformStack, name: string) => ({
        value: new loaded.library.TerraformVariable(stack, name, { type: 'string', sensitive: true }).stringValue,
        version: 1,
      });
      const { text } = synth(loaded, (stack) => {
        const passwords = {
          billing: password(stack, 'billing_password'),
          shipping: password(stack, 'shipping_password'),
        };
        return new loaded.rolecall.Definitions(stack, 'acme', { paths, passwords });
      });
      // Both libraries are held to the same file.
      context.assert.fileSnapshot(text, path.join(import.meta.dirname, 'snapshots/acme.snapshot'), {
        serializers: [(value: string) => `${value}\n`],
      });
    });

    it('makes references of Terraform of references between definitions', () => {
      const { text, configuration } = define({ 'all.yaml': together(permission, analysts, grace, ada, billing) });
      const { Testing } = loaded.library;
      assert.ok(
        Testing.toHaveResourceWithProperties(text, 'rolecall_person', { username: 'ada', email: 'ada@example.com' }),
      );
      const [[address] = []] = [...resourcesOf(configuration)].filter(([, each]) => each['username'] === 'grace');
      const [[source] = []] = [...resourcesOf(configuration)].filter(([, each]) => each['alias'] === 'billing');
      assert.ok(
        Testing.toHaveResourceWithProperties(text, 'rolecall_permission', {
          person_id: `\${${address}.id}`,
          data_source_id: `\${${source}.id}`,
          duration: '28800s',
        }),
      );
      assert.equal(configuration.data, undefined);
    });

    it('looks up what is not declared by its name in the workspace, once', () => {
      const { text, configuration } = define({
        'all.yaml': together(permission, permission.replace('e: grace-b', 'e: other-b').replace('8h', '9h')),
      });
      assert.ok(loaded.library.Testing.toHaveDataSourceWithProperties(text, 'rolecall_person', { username: 'grace' }));
      assert.equal(Object.keys(configuration.data?.['rolecall_person'] ?? {}).length, 1);
      assert.ok(
        loaded.library.Testing.toHaveDataSourceWithProperties(text, 'rolecall_data_source', { alias: 'billing' }),
      );
    });

    it('keeps every address and every block when others are added, removed or put in another order or file', () => {
      const few = define({ 'all.yaml': together(ada, billing, analysts) });
      const moved = define({ 'z.yaml': together(analysts, ada), 'a.yaml': billing });
      assert.equal(moved.text, few.text);
      const more = resourcesOf(
        define({ 'a.yaml': together(permission, grace, billing), 'b.yaml': together(analysts, ada) }).configuration,
      );
      for (const [address, attributes] of resourcesOf(few.configuration))
        assert.deepEqual(more.get(address), attributes, address);
      assert.equal(more.size, resourcesOf(few.configuration).size + 2);
    });

    it('keeps names apart that only differ in what an address cannot hold', () => {
      const people = ['a.b', 'ab', 'a-b'].map((name) => person(name));
      const namespaced = person('ada', ', namespace: one', 'username: other, ').replace('ada@', 'other@');
      const found = resourcesOf(defined(ada, namespaced, ...people));
      assert.equal(found.size, 5);
    });

    it('sets the list of a role together with the memberships that add to it', () => {
      const configuration = defined(ada, grace, billing, analysts, membership);
      const [list] = Object.values(configuration.resource?.['rolecall_role_people'] ?? {});
      assert.equal((list?.['person_ids'] as string[]).length, 2);
      assert.equal(configuration.resource?.['rolecall_role_person'], undefined);
      // Where the membership was a resource before, deleting that would take out who has just been put in.
      assert.deepEqual(
        configuration.removed?.map(({ from, lifecycle }) => [from.replace(/_[0-9A-F]{8}$/, ''), lifecycle.destroy]),
        [['rolecall_role_person.all_membership_grace-analysts', false]],
      );
    });

    it('gives a membership its time, and refuses one that Terraform would give for longer', () => {
      const timed = membership.replace('person: grace', 'person: grace, duration: 7d');
      const { resource } = defined(ada, grace, billing, analysts.replace('people: [ada], ', ''), timed);
      const [made] = Object.values(resource?.['rolecall_role_person'] ?? {});
      assert.equal(made?.['duration'], '604800s');
      const { message } = problemsOf({ 'access.yaml': [ada, grace, billing, analysts, timed].join('---\n') });
      assert.match(message, /spec\.duration is a time in Role analysts, which lists its people/);
    });

    it('leaves the people of a role alone whose list is left out', () => {
      const { resource, removed } = defined(ada, grace, billing, analysts.replace('people: [ada], ', ''), membership);
      assert.equal(Object.keys(resource?.['rolecall_role_person'] ?? {}).length, 1);
      assert.equal(resource?.['rolecall_role_people'], undefined);
      assert.match(removed?.[0]?.from ?? '', /^rolecall_role_people\.all_role_people_analysts_/);
    });

    it('forgets, and does not delete, what is observed, paused or ended, under the address that it had', () => {
      const observed = ada.replace('spec: {', 'spec: { managementPolicy: Observe,');
      const paused = billing.replace('name: billing', 'name: billing, annotations: { rolecall.dev/paused: "true" }');
      const ended = permission.replace(
        'name: grace-billing',
        'name: grace-billing, annotations: { rolecall.dev/ended: "true" }',
      );
      const before = [...resourcesOf(defined(ada, billing, grace, analysts, permission)).keys()];
      const { removed = [], resource = {}, data = {} } = defined(observed, paused, grace, analysts, ended);
      assert.equal(removed.length, 3);
      for (const { from } of removed) assert.ok(before.includes(from), from);
      assert.deepEqual(Object.keys(resource), [
        'rolecall_person',
        'rolecall_role',
        'rolecall_role_data_sources',
        'rolecall_role_people',
      ]);
      assert.deepEqual(Object.keys(data), ['rolecall_data_source', 'rolecall_person']);
    });

    it('takes texts as they are written, whatever they look like to Terraform and CDKTF', () => {
      const text = 'select \'${name}\', "%{if}", $${x}, ${TfToken[TOKEN.0]}';
      const snippet = `kind: Snippet\nmetadata: { name: odd }\nspec: { text: ${JSON.stringify(text)} }\n`;
      const [found] = Object.values(defined(snippet).resource?.['rolecall_snippet'] ?? {});
      assert.equal(found?.['text'], 'select \'$${name}\', "%%{if}", $$${x}, ${"$"}{TfToken[TOKEN.0]}');
    });

    it('carries protection over from its annotation', () => {
      const kept = ada.replace('name: ada', 'name: ada, annotations: { rolecall.dev/protected: "true" }');
      const { text } = define({ 'all.yaml': kept });
      const attributes = { username: 'ada', protected: true };
      assert.ok(loaded.library.Testing.toHaveResourceWithProperties(text, 'rolecall_person', attributes));
    });

    it('reports all problems of the definitions, each with file, line, field and remedy', () => {
      const error = problemsOf({ 'all.yaml': together(ada.replace('email', 'emial'), permission.replace('8h', '8x')) });
      assert.equal(error.code, 'ERR_ROLECALL_DEFINITIONS');
      assert.equal(inspect(error).match(/Did you mean email/g)?.length, 1);
      assert.deepEqual(
        error.problems.map(({ line, path: field }) => [line, field]),
        [
          [4, 'spec.emial'],
          [9, 'spec.duration'],
        ],
      );
      assert.match(error.message, /all\.yaml:4:25 error: spec\.emial .*Did you mean email\?/);
    });

    it('refuses what the resources of Terraform cannot keep to, with file, line, field and remedy', () => {
      const secret = billing.replace("uri: '", "passwordFrom: { env: X }, uri: '");
      const orphan = ada.replace('spec: {', 'spec: { deletionPolicy: Orphan,');
      const paused = membership.replace('name: grace', 'annotations: { rolecall.dev/paused: "true" }, name: grace');
      const { problems, message } = problemsOf({ 'all.yaml': together(secret, orphan, grace, analysts, paused) });
      assert.deepEqual(
        problems.map(({ line, path: field, code }) => [line, field, code]),
        [
          [4, 'spec.passwordFrom', 'not_in_terraform'],
          [9, 'spec.deletionPolicy', 'not_in_terraform'],
          [23, 'metadata.annotations["rolecall.dev/paused"]', 'not_in_terraform'],
        ],
      );
      assert.ok('not_in_terraform' in problemCodes);
      assert.match(message, /Pass passwords: \{ "billing": \{ value, version \} \}/);
    });

    it('shows warnings as annotations, and says which parts of a Workspace have no effect', () => {
      const workspace = `kind: Workspace\nmetadata: { name: acme }\nspec: { exact: [roles], rails: { maxRemovalPercent: 5 } }\n`;
      const { stack } = define({ 'all.yaml': together(ada, workspace) });
      const [construct] = stack.node.children.filter(({ node }) => node.id === 'all');
      const messages = construct!.node.metadata.map(({ data }) => String(data));
      assert.ok(
        messages.some((each) => /all\.yaml:8:\d+ warning: spec\.exact has no effect here/.test(each)),
        messages.join('\n'),
      );
      assert.ok(messages.some((each) => /spec\.rails .*maxRemovalPercent: 5 and minimumRemoval: 10/.test(each)));
      assert.ok(messages.some((each) => each.includes('apiVersion')));
    });

    it('takes passwords as tokens only, and for data sources that have one', () => {
      const secret = { 'all.yaml': billing.replace("uri: '", "passwordFrom: { env: X }, uri: '") };
      const plain = { passwords: { billing: { value: 'pl4in', version: 1 } } };
      assert.throws(
        () => define(secret, plain),
        ({ code, property, message }: { code: string; property: string; message: string }) =>
          code === 'ERR_ROLECALL_PROPERTY' && property === 'passwords.billing' && !message.includes('pl4in'),
      );
      const value = loaded.library.Token.asString({ resolve: () => '${var.password}' });
      assert.throws(() => define(secret, { passwords: { biling: { value, version: 1 } } }), /Did you mean billing\?/);
      const { text } = define(secret, { passwords: { billing: { value, version: 3 } } });
      const attributes = { password_wo: '${var.password}', password_wo_version: 3 };
      assert.ok(loaded.library.Testing.toHaveResourceWithProperties(text, 'rolecall_data_source', attributes));
    });

    it('builds the objects of one workspace, and asks which where there are several', () => {
      const workspace = (name: string) => `kind: Workspace\nmetadata: { name: ${name} }\nspec: {}\n`;
      const files = {
        'all.yaml': together(
          workspace('one'),
          workspace('two'),
          ada.replace('spec: {', 'spec: { workspaceRef: one,'),
          grace.replace('spec: {', 'spec: { workspaceRef: two,'),
        ),
      };
      assert.throws(
        () => define(files),
        /Definitions access\/all: workspace is needed: the definitions are of one, two\. Pass/,
      );
      assert.throws(() => define(files, { workspace: 'twoo' }), /Did you mean two\?/);
      const found = [...resourcesOf(define(files, { workspace: 'two' }).configuration).values()];
      assert.deepEqual(
        found.map(({ username }) => username),
        ['grace'],
      );
    });

    it('says which property is a token where the value must be known', () => {
      const token = loaded.library.Token.asString({ resolve: () => '${var.folder}' });
      const list = loaded.library.Token.asList({ resolve: () => '${var.folders}' });
      const cases: [Partial<DefinitionsProps>, string, string][] = [
        [{ paths: ['there', token] }, 'paths[1]', '${var.folder}'],
        [{ paths: [`${token}/access`] }, 'paths[0]', '${var.folder}/access'],
        [{ paths: list }, 'paths', '${var.folders}'],
        [{ workspace: token }, 'workspace', '${var.folder}'],
      ];
      for (const [props, property, expression] of cases) {
        assert.throws(
          () => define({ 'all.yaml': ada }, props),
          (error: { code: string; property: string; expression: string; message: string }) => {
            assert.deepEqual(
              [error.code, error.property, error.expression],
              ['ERR_ROLECALL_TOKEN', property, expression],
            );
            return error.message.startsWith(
              `Definitions access/all: ${property} is ${expression}, which only Terraform`,
            );
          },
        );
      }
    });

    it('gives what it built by name, and suggests a name where there is none', () => {
      withDefinitions({ 'all.yaml': together(ada, billing, analysts) }, (folder) => {
        const all = new loaded.rolecall.Definitions(newStack(loaded), 'all', { paths: [folder] });
        assert.ok(all.person('ada') instanceof loaded.rolecall.Person);
        assert.ok(all.role('analysts') instanceof loaded.rolecall.Role);
        assert.ok(all.dataSource('billing') instanceof loaded.rolecall.DataSource);
        assert.throws(
          () => all.person('adaa'),
          /Definitions access\/all: person names no person .*adaa\. Did you mean ada\?/,
        );
      });
    });

    it('hands the provider to all that it builds', () => {
      const { configuration } = withDefinitions({ 'all.yaml': together(ada, analysts) }, (folder) =>
        synth(loaded, (stack) => {
          const provider = new loaded.rolecall.RolecallProvider(stack, 'two', { alias: 'two' });
          return new loaded.rolecall.Definitions(stack, 'all', { paths: [folder], provider });
        }),
      );
      const lookups = Object.values(configuration.data ?? {}).flatMap((each) => Object.values(each));
      for (const each of [...resourcesOf(configuration).values(), ...lookups])
        assert.equal(each['provider'], 'rolecall.two');
    });

    it('refuses to be written as HCL where something is to be forgotten, which CDKTF would leave out', () => {
      withDefinitions({ 'all.yaml': ada.replace('spec: {', 'spec: { managementPolicy: Observe,') }, (folder) => {
        const stack = newStack(loaded);
        new loaded.rolecall.Definitions(stack, 'all', { paths: [folder] });
        assert.throws(() => loaded.library.Testing.synthHcl(stack), /all\/person_ada needs a `removed` block/);
      });
    });
  });
}
