import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import type { TeamProps } from '@rolecall/cdktf';
import type { TerraformStack } from 'cdktf';
import { editions } from '../../../tools/cdktf/editions.ts';
import { root } from '../../cli/support/run-command.ts';
import { requires } from '../../support/databases/parts.ts';
import { startTerraform, type Terraform } from '../support/terraform.ts';
import { type Loaded, loadEdition } from './support/edition.ts';
import { synthesise } from './support/stack.ts';

const person = (name: string, metadata = '') => `kind: Person
apiVersion: rolecall.dev/v1alpha1
metadata: { name: ${name}${metadata} }
spec: { name: Somebody, email: ${name}@example.com }
`;
const role = (spec: string) => `kind: Role
apiVersion: rolecall.dev/v1alpha1
metadata: { name: analysts }
spec: { ${spec} }
`;
const membership = (name: string) => `kind: RoleMembership
apiVersion: rolecall.dev/v1alpha1
metadata: { name: ${name}-analysts }
spec: { role: analysts, person: ${name} }
`;

for (const edition of editions) {
  describe(`what is synthesised with ${edition.library}`, requires('terraform'), () => {
    let loaded: Loaded;
    let terraform: Terraform;
    before(async () => {
      loaded = await loadEdition(edition);
    });
    beforeEach(async () => {
      terraform = await startTerraform();
    });
    afterEach(async () => {
      await terraform[Symbol.asyncDispose]();
    });

    /** Applies what a stack comes to, holds the next plan to be empty, and gives what the apply deleted. */
    async function apply(build: (stack: TerraformStack) => void, env: Record<string, string> = {}): Promise<string[]> {
      synthesise(loaded, terraform, build);
      await terraform.must(['init'], env);
      terraform.calls();
      await terraform.must(['apply', '-auto-approve'], env);
      const calls = terraform.calls();
      const { code, output } = await terraform.run(['plan', '-detailed-exitcode'], env);
      assert.equal(code, 0, output);
      return calls.filter((call) => call.startsWith('DELETE'));
    }

    const applyDefinitions = (...documents: string[]): Promise<string[]> => {
      const file = path.join(terraform.folder, 'definitions.yaml');
      writeFileSync(file, documents.join('---\n'));
      return apply((stack) => new loaded.rolecall.Definitions(stack, 'all', { paths: [file] }));
    };

    const usernames = async () => (await terraform.call('listPeople', {})).map(({ username }) => username).toSorted();

    const members = async () => {
      const { client } = terraform.workspace;
      const [found] = await client.call('listRoles', {});
      const people = await client.call('listRolePeople', { params: { role: found!.id } });
      return people.map(({ username }) => username).toSorted();
    };

    it('makes everything that the example declares, and then has nothing to do', async () => {
      const env = { TF_VAR_billing_password: 'pl4nted-p4ssw0rd', TF_VAR_shipping_password: 'pl4nted-p4ssw0rd' };
      await apply((stack) => {
        const password = (name: string) => {
          const variable = new loaded.library.TerraformVariable(stack, `${name}_password`, { sensitive: true });
          variable.addOverride('ephemeral', true);
          return { value: variable.stringValue, version: 1 };
        };
        const passwords = { billing: password('billing'), shipping: password('shipping') };
        return new loaded.rolecall.Definitions(stack, 'acme', { paths: [path.join(root, 'examples/acme')], passwords });
      }, env);
      const { client } = terraform.workspace;
      assert.equal((await client.call('listDataSources', {})).length, 3);
      assert.equal((await client.call('listRoles', {})).length, 4);
      assert.equal((await client.call('listPermissions', {})).length, 6);
      assert.ok((await usernames()).includes('ben'));
    });

    it('deletes what is no longer declared, and forgets what is paused or observed, until it is taken over again', async () => {
      await applyDefinitions(person('ada'), person('grace'), person('alan'));
      const paused = ', annotations: { rolecall.dev/paused: "true" }';
      const deleted = await applyDefinitions(person('ada', paused), person('grace'));
      assert.deepEqual(await usernames(), ['ada', 'grace']);
      assert.equal(deleted.length, 1, deleted.join('\n'));
      assert.ok(!(await terraform.must(['state', 'list'])).includes('person_ada'));
      assert.deepEqual(await applyDefinitions(person('ada'), person('grace')), []);
      assert.ok((await terraform.must(['state', 'list'])).includes('person_ada'));
    });

    it('takes no one out of a role whose list begins or ceases to be declared', async () => {
      const people = [person('ada'), person('grace')];
      await applyDefinitions(...people, role(''), membership('ada'), membership('grace'));
      assert.deepEqual(await members(), ['ada', 'grace']);
      for (const spec of ['people: [ada]', 'people: [grace]', '', 'people: [ada, grace]', '']) {
        assert.deepEqual(
          await applyDefinitions(...people, role(spec), membership('ada'), membership('grace')),
          [],
          spec,
        );
        assert.deepEqual(await members(), ['ada', 'grace']);
      }
    });

    it('makes a team with access for a time, which may become exact and cease to be', async () => {
      const build = (props: Partial<TeamProps>) => (stack: TerraformStack) => {
        const { DataSource, Team, TimedAccess } = loaded.rolecall;
        const billing = new DataSource(stack, 'billing', {
          name: 'Billing',
          alias: 'billing',
          uri: 'sqlite:///srv/b.db',
        });
        const ada = { ada: { name: 'Ada Lovelace', email: 'ada@example.com' } };
        const team = new Team(stack, 'analysts', { people: ada, members: ['grace'], dataSources: [billing], ...props });
        new TimedAccess(stack, 'incident', { person: team.person('ada'), dataSource: billing, duration: '8h' });
      };
      const body = { username: 'grace', name: 'Grace Hopper', email: 'grace@example.com' };
      await terraform.call('createPerson', { body });
      await apply(build({}));
      assert.deepEqual(await members(), ['ada', 'grace']);
      assert.equal((await terraform.call('listPermissions', {})).length, 1);
      for (const exact of [false, true]) assert.deepEqual(await apply(build({ exact })), []);
      assert.deepEqual(await members(), ['ada', 'grace']);
    });
  });
}
