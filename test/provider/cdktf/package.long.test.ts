import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { editions } from '../../../tools/cdktf/editions.ts';
import { requires } from '../../support/databases/parts.ts';
import { startTerraform, type Terraform } from '../support/terraform.ts';
import { buildPackages, type Manifest, type Packages, start } from './support/project.ts';

describe('a project that installs the packages', requires('terraform'), () => {
  let packages: Packages;
  before(async () => {
    packages = await buildPackages();
  });
  after(() => {
    packages[Symbol.dispose]();
  });

  for (const edition of editions) {
    describe(`with ${edition.library}`, () => {
      let terraform: Terraform;
      let project: string;
      before(async () => {
        terraform = await startTerraform();
        project = path.join(terraform.folder, 'project');
        await packages.install(edition, project);
      });
      after(async () => {
        await terraform[Symbol.asyncDispose]();
      });

      it('compiles the example against the published types, and applies what it synthesises', async () => {
        await start(project, 'npm', ['run', 'synth']);
        cpSync(path.join(project, 'cdktf.out/stacks/access/cdk.tf.json'), path.join(terraform.folder, 'cdk.tf.json'));
        const env = { TF_VAR_billing_password: 'pl4nted-p4ssw0rd' };
        await terraform.must(['init'], env);
        await terraform.must(['apply', '-auto-approve'], env);
        const { code, output } = await terraform.run(['plan', '-detailed-exitcode'], env);
        assert.equal(code, 0, output);
        const { client } = terraform.workspace;
        const people = (await client.call('listPeople', {})).map(({ username }) => username);
        assert.deepEqual(people.toSorted(), ['ada', 'grace', 'mary']);
        assert.equal((await client.call('listPermissions', {})).length, 2);
        const state = readFileSync(path.join(project, 'terraform.access.tfstate'), 'utf8');
        assert.ok(state.includes('rolecall_permission') && !state.includes('pl4nted'));
      });

      it('can be imported from ES modules too', async () => {
        const script = `import { Definitions, Person } from '${edition.name}'; console.log(Definitions.name, Person.tfResourceType)`;
        const output = await start(project, process.execPath, ['--input-type=module', '--eval', script]);
        assert.equal(output, 'Definitions rolecall_person\n');
      });

      it('holds nothing but what runs, its types, its licences and a readme', () => {
        const package_ = path.join(project, 'node_modules', edition.name);
        const files = readdirSync(package_, { recursive: true, encoding: 'utf8' });
        const odd = files.filter((name) => !/(^|\/)(dist|bindings|definitions|[a-z-]+)$|\.d\.ts$/.test(name));
        assert.deepEqual(odd.toSorted(), [
          'README.md',
          'dist/THIRD-PARTY-LICENSES.txt',
          'dist/index.js',
          'dist/package.json',
          'package.json',
        ]);
        const { dependencies } = JSON.parse(
          readFileSync(path.join(package_, 'package.json'), 'utf8'),
        ) as Partial<Manifest>;
        assert.equal(dependencies, undefined);
      });
    });
  }
});
