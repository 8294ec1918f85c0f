import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { root, runCommand, runProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, useWorkspace } from '../../support/workspace.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

describe('rolecall init', () => {
  const workspace = useWorkspace();

  it('writes definitions that are valid, can be applied, and are settled then', async () => {
    using folder = temporaryFolder();
    const target = path.join(folder.path, 'new');
    const { code, stdout, stderr } = await runCommand(['init', target]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /\n13 files written to /);
    const access = path.join(target, 'access');
    const { env } = workspace;
    const valid = await runCommand(['validate', access]);
    assert.match(valid.stdout, /^Valid\. .* 0 errors, 0 warnings/);
    assert.equal((await runCommand(['apply', access, '--yes'], { env })).code, 0);
    assert.equal((await runCommand(['plan', access, '--detailed-exitcode'], { env })).code, 0);
  });

  it('writes definitions that take nothing away from those who have access already', async () => {
    await using used = await startWorkspace();
    const { client, env } = used;
    const made = await Promise.all(
      ['eve', 'joan', 'kay'].map((username) =>
        client.call('createPerson', { body: { username, name: username, email: `${username}@other.example` } }),
      ),
    );
    const shop = { name: 'Shop', alias: 'shop', configUri: 'sqlite:///srv/shop.db?mode=ro' };
    const { id: dataSource } = await client.call('createDataSource', { body: shop });
    const { id: role } = await client.call('createRole', { body: { name: 'analysts' } });
    await client.call('addRoleDataSource', { params: { role, dataSource } });
    for (const { id: person } of made) {
      await client.call('addRolePerson', { params: { role, person } });
      await client.call('createPermission', { params: { person, dataSource }, body: { duration: 3600 } });
    }
    using folder = temporaryFolder();
    await runCommand(['init', folder.path]);
    const { code, stdout, stderr } = await runCommand(['apply', path.join(folder.path, 'access'), '--yes'], { env });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, / 0 to revoke or remove \(\d+ calls\)\.\n/);
    assert.equal((await client.call('listPermissions', {})).length, 4);
    assert.equal((await client.call('listRolePeople', { params: { role } })).length, 4);
    assert.equal((await client.call('listRoleDataSources', { params: { role } })).length, 2);
  });

  it('asks for no key that may do more than its pipeline needs', async () => {
    using folder = temporaryFolder();
    const { stdout } = await runCommand(['init', path.join(folder.path, 'new')]);
    assert.match(stdout, /rolecall-plan \(a key of scope read\) and rolecall-apply \(one of scope write\)/);
    assert.doesNotMatch(stdout, /admin/);
  });

  it('says where it wrote, also for a folder that has no name of its own', async () => {
    using folder = temporaryFolder();
    const { stdout } = await runProcess(['init', '.'], { cwd: folder.path });
    assert.ok(stdout.includes(`\n13 files written to ${realpathSync(folder.path)}.\n`), stdout);
    const named = await runProcess(['init', 'ours'], { cwd: folder.path });
    assert.match(named.stdout, /\n13 files written to ours\.\n/);
  });

  it('writes the pipelines of the forge that is asked for, as the examples have them', async () => {
    using folder = temporaryFolder();
    const make = async (ci: string): Promise<string> => {
      const target = path.join(folder.path, ci);
      assert.equal((await runCommand(['init', target, '--ci', ci])).code, 0);
      return target;
    };
    const github = await make('github');
    for (const name of readdirSync(path.join(root, 'examples/ci/github'))) {
      const copied = readFileSync(path.join(github, '.github/workflows', name), 'utf8');
      assert.equal(copied, readFileSync(path.join(root, 'examples/ci/github', name), 'utf8'));
    }
    const gitlab = readFileSync(path.join(await make('gitlab'), '.gitlab-ci.yml'), 'utf8');
    assert.equal(gitlab, readFileSync(path.join(root, 'examples/ci/gitlab/rolecall.gitlab-ci.yml'), 'utf8'));
    const none = filesIn(await make('none'));
    assert.deepEqual(
      none.filter((name) => /gitlab|github/.test(name)),
      [],
    );
  });

  it(
    'keeps plans and reports out of the repository, under the names that the documentation gives them',
    requires('git'),
    async () => {
      using folder = temporaryFolder();
      await runCommand(['init', folder.path]);
      const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder.path, encoding: 'utf8' });
      git('init', '--quiet');
      const made = ['access.csv', 'access.html', 'plan.json', 'plan/plan.json', 'reviewed.plan'];
      const files = ['access/people.yaml', 'rolecall.schema.json'];
      assert.deepEqual(
        git('check-ignore', '--no-index', ...made, ...files)
          .trim()
          .split('\n'),
        made,
      );
    },
  );

  it('tells editors the schema, under which the definitions are', async () => {
    using folder = temporaryFolder();
    await runCommand(['init', folder.path]);
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder.path, name), 'utf8'));
    const settings = read('.vscode/settings.json') as { 'yaml.schemas': Record<string, string> };
    const [associated] = Object.entries(settings['yaml.schemas']);
    assert.ok(associated);
    const [schema, pattern] = associated;
    assert.deepEqual(read(schema), JSON.parse((await runCommand(['schema'])).stdout));
    const matched = filesIn(folder.path).filter((name) => path.matchesGlob(name, pattern));
    assert.equal(matched.length, 5);
    assert.ok(path.matchesGlob('access/team/people.yml', pattern));
  });

  it('can be run again, and writes what is missing only', async () => {
    using folder = temporaryFolder();
    await runCommand(['init', folder.path]);
    const again = await runCommand(['init', folder.path, '--format', 'json']);
    const { written, unchanged } = JSON.parse(again.stdout) as { written: string[]; unchanged: string[] };
    assert.deepEqual([written.length, unchanged.length], [0, 13]);
  });

  it('leaves other files alone, and writes nothing where one of its own is there with another text', async () => {
    using folder = temporaryFolder();
    mkdirSync(path.join(folder.path, 'deploy'));
    writeFileSync(path.join(folder.path, 'deploy/app.yaml'), 'kind: Deployment\n');
    writeFileSync(path.join(folder.path, 'README.md'), '# Ours\n');
    const refused = await runCommand(['init', folder.path]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /already contains README\.md, so nothing was written/);
    assert.deepEqual(filesIn(folder.path), ['README.md', 'deploy/app.yaml']);
  });
});
