import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import { startService } from '@rolecall/server';
import { onThisMachine } from '../../../support/guard.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../../support/workspace.ts';

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: rolecall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

const workspaceOf = (set: string): string => document('Workspace', 'main', `{ set: ${set} }`);
const person = (name: string, username = name, more = ''): string =>
  document('Person', name, `{ username: ${username}, name: Of ${name}, email: ${name}@example.com${more} }`);
const role = (name: string, more = ''): string => document('Role', name, `{ name: ${name}${more} }`);
const member = (name: string, of: string, who: string): string =>
  document('RoleMembership', name, `{ role: ${of}, person: ${who} }`);
const ledger = document('DataSource', 'ledger', '{ name: Ledger, uri: "sqlite:///srv/ledger.db?mode=ro" }');
const grant = (name: string, who: string, until: string): string =>
  document(
    'Permission',
    name,
    `{ person: ${who}, dataSource: ledger, startsAt: "2030-01-01T00:00:00Z", expiresAt: "${until}" }`,
  );

/** A folder, as a repository has it: file names and their definitions. */
type Files = Readonly<Record<string, readonly string[]>>;

describe('a set of definitions', () => {
  let workspace: TestWorkspace;
  let home: ReturnType<typeof temporaryFolder>;

  beforeEach(async () => {
    workspace = await startWorkspace();
    home = temporaryFolder();
  });
  afterEach(async () => {
    home[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });

  const at = (...names: string[]): string => path.join(home.path, ...names);
  /** Writes a folder anew. */
  function write(folder: string, files: Files): string {
    rmSync(at(folder), { recursive: true, force: true });
    for (const [name, documents] of Object.entries(files)) {
      mkdirSync(path.dirname(at(folder, name)), { recursive: true });
      writeFileSync(at(folder, name), documents.join('---\n'));
    }
    return at(folder);
  }
  /** Makes a folder a checkout, as far as Git's files tell. */
  function checkOut(folder: string, remote: string, head: string): void {
    mkdirSync(at(folder, '.git'), { recursive: true });
    writeFileSync(at(folder, '.git/HEAD'), `${head}\n`);
    writeFileSync(at(folder, '.git/config'), `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${remote}\n`);
  }
  const run = (command: string, paths: readonly string[], ...more: string[]) =>
    runCommand([command, ...paths, ...more], { env: workspace.env });
  async function apply(paths: string | readonly string[], ...more: string[]) {
    workspace.proxy.calls.length = 0;
    const result = await run('apply', [paths].flat(), '--yes', ...more);
    assert.equal(result.code, 0, result.stdout + result.stderr);
    return result;
  }
  async function refuse(paths: string, pattern: RegExp): Promise<void> {
    const result = await run('apply', [paths], '--yes');
    assert.equal(result.code, 1, result.stdout + result.stderr);
    assert.match(result.stdout + result.stderr, pattern);
  }
  const people = async () => (await workspace.client.call('listPeople', {})).map(({ username }) => username).sort();
  const roles = async () => (await workspace.client.call('listRoles', {})).map(({ name }) => name).sort();
  const grants = async () =>
    (await workspace.client.call('listPermissions', {})).map(
      ({ person: who, expiresAt }) => `${who.username} ${expiresAt}`,
    );
  const writes = () =>
    workspace.proxy.calls.filter((call) => !call.startsWith('GET ') && !call.includes(' /api/v2/lease'));

  it('removes what a deleted definition made, and nothing else, without exact', async () => {
    const other = { username: 'zoe', name: 'Zoe', email: 'zoe@example.com' };
    await workspace.client.call('createPerson', { body: other });
    const set = workspaceOf('main');
    await apply(
      write('defs', {
        'all.yaml': [
          set,
          ledger,
          person('ada'),
          person('bob'),
          role('staff'),
          role('ops'),
          member('ada-staff', 'staff', 'ada'),
          member('bob-staff', 'staff', 'bob'),
          grant('bob-ledger', 'bob', '2030-02-01T00:00:00Z'),
        ],
      }),
    );
    const folder = write('defs', {
      'all.yaml': [set, ledger, person('ada'), person('bob'), role('staff'), member('bob-staff', 'staff', 'bob')],
    });
    const plan = await run('plan', [folder]);
    assert.match(plan.stdout, /- Role\/ops\b/);
    assert.match(plan.stdout, /its definition was deleted/);
    await apply(folder);
    assert.deepEqual(await roles(), ['staff']);
    assert.deepEqual(await grants(), []);
    assert.deepEqual(await people(), ['ada', 'bob', 'zoe']);
    const [staff] = await workspace.client.call('listRoles', {});
    const members = await workspace.client.call('listRolePeople', { params: { role: staff?.id ?? '' } });
    assert.deepEqual(
      members.map(({ username }) => username),
      ['bob'],
    );
    const again = await run('plan', [folder], '--detailed-exitcode');
    assert.equal(again.code, 0, again.stdout);
  });

  it('renames people, roles and data sources, and moves a window, by one call each', async () => {
    const definitions = (username: string, name: string, alias: string, until: string) => [
      workspaceOf('main'),
      document('DataSource', 'ledger', `{ alias: ${alias}, name: Ledger, uri: "sqlite:///srv/ledger.db?mode=ro" }`),
      person('ada', username),
      document('Role', 'staff', `{ name: ${name}, people: [ada], dataSources: [ledger] }`),
      grant('ada-ledger', 'ada', until),
    ];
    await apply(write('defs', { 'all.yaml': definitions('ada', 'staff', 'ledger', '2030-02-01T00:00:00Z') }));
    const before = await workspace.client.call('listPermissions', {});
    await apply(write('defs', { 'all.yaml': definitions('countess', 'engineers', 'books', '2030-03-01T00:00:00Z') }));
    assert.equal(writes().length, 4, writes().join('\n'));
    assert.deepEqual(
      writes()
        .map((call) => call.replace(/\/[^/]+$/, ''))
        .sort(),
      ['PATCH /api/v2/permission', 'PATCH /api/v2/person', 'PATCH /api/v2/role', 'POST /api/v2/data-source'],
    );
    assert.deepEqual(await people(), ['countess']);
    assert.deepEqual(await roles(), ['engineers']);
    const after = await workspace.client.call('listPermissions', {});
    assert.deepEqual(
      after.map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.equal(after[0]?.expiresAt, '2030-03-01T00:00:00.000Z');
  });

  it('lets two people exchange their names, and one take the name of another who goes', async () => {
    const three = (one: string, two: string, rest: string[]) => ({
      'all.yaml': [workspaceOf('main'), person('one', one), person('two', two), ...rest],
    });
    await apply(write('defs', three('ada', 'bob', [person('cy')])));
    const ids = async () =>
      new Map((await workspace.client.call('listPeople', {})).map(({ username, id }) => [username, id]));
    const before = await ids();
    await apply(write('defs', three('bob', 'ada', [person('cy')])));
    const swapped = await ids();
    assert.equal(swapped.get('ada'), before.get('bob'));
    assert.equal(swapped.get('bob'), before.get('ada'));
    await apply(write('defs', three('cy', 'ada', [])));
    const freed = await ids();
    assert.deepEqual([...freed.keys()].sort(), ['ada', 'cy']);
    assert.equal(freed.get('cy'), before.get('ada'));
  });

  it('takes over what a workspace had before, and removes nothing of it', async () => {
    for (const username of ['ada', 'bob', 'zoe']) {
      await workspace.client.call('createPerson', {
        body: { username, name: `Of ${username}`, email: `${username}@example.com` },
      });
    }
    const first = await apply(write('defs', { 'all.yaml': [workspaceOf('main'), person('ada'), person('bob')] }));
    assert.match(first.stdout, /takes over 2 objects/);
    assert.deepEqual(writes(), ['PATCH /api/v2/declaration']);
    await apply(at('defs'));
    assert.deepEqual(writes(), []);
    await apply(write('defs', { 'all.yaml': [workspaceOf('main'), person('ada')] }));
    assert.deepEqual(await people(), ['ada', 'zoe']);
  });

  it('keeps an object whose definition moves to another file, or gets another name', async () => {
    await apply(write('defs', { 'a.yaml': [workspaceOf('main'), person('ada')], 'b.yaml': [role('staff')] }));
    await apply(
      write('defs', {
        'a.yaml': [workspaceOf('main')],
        'deep/c.yaml': [
          role('staff'),
          person('countess', 'ada').replace('Of countess', 'Of ada').replace('countess@', 'ada@'),
        ],
      }),
    );
    assert.deepEqual(writes(), ['PATCH /api/v2/declaration']);
    assert.deepEqual(await people(), ['ada']);
    await apply(write('defs', { 'a.yaml': [workspaceOf('main')] }));
    assert.deepEqual(await people(), []);
  });

  it('leaves an orphaned object when its definition goes, and one that it only observes', async () => {
    const orphan = person('bob', 'bob', ', deletionPolicy: Orphan');
    await apply(write('defs', { 'all.yaml': [workspaceOf('main'), person('ada'), orphan, person('cy')] }));
    await apply(
      write('defs', {
        'all.yaml': [
          workspaceOf('main'),
          person('ada', 'ada', ', deletionPolicy: Orphan'),
          orphan,
          person('cy', 'cy', ', managementPolicy: Observe'),
        ],
      }),
    );
    const last = await apply(write('defs', { 'all.yaml': [workspaceOf('main')] }));
    assert.match(last.stdout, /Person\/ada.*stays, as its deletionPolicy was Orphan/);
    assert.deepEqual(await people(), ['ada', 'bob', 'cy']);
    await apply(at('defs'));
    assert.deepEqual(writes(), []);
  });

  it('is split in two, and hands objects over, without a removal', async () => {
    await apply(
      write('one', {
        'all.yaml': [
          workspaceOf('one'),
          person('ada'),
          person('bob'),
          role('staff'),
          member('bob-staff', 'staff', 'bob'),
        ],
      }),
    );
    await apply(write('two', { 'all.yaml': [workspaceOf('two'), person('bob'), member('bob-staff', 'staff', 'bob')] }));
    assert.deepEqual(writes(), ['PATCH /api/v2/declaration']);
    const left = await apply(write('one', { 'all.yaml': [workspaceOf('one'), person('ada'), role('staff')] }));
    assert.match(left.stdout, /Person\/bob.*stays: another set of definitions declares it, too/);
    assert.deepEqual(writes(), ['PATCH /api/v2/declaration']);
    assert.deepEqual(await people(), ['ada', 'bob']);
    await apply(write('two', { 'all.yaml': [workspaceOf('two')] }));
    assert.deepEqual(await people(), ['ada']);
  });

  it('gets another name: the old one is applied once with nothing', async () => {
    await apply(write('defs', { 'all.yaml': [workspaceOf('old'), person('ada'), person('bob')] }));
    await apply(write('defs', { 'all.yaml': [workspaceOf('new'), person('ada'), person('bob')] }));
    const { path: folder } = { path: write('retired', { 'all.yaml': [workspaceOf('old')] }) };
    await apply(folder, '--override', 'other-origin:old');
    assert.deepEqual(await people(), ['ada', 'bob']);
    await apply(write('defs', { 'all.yaml': [workspaceOf('new'), person('ada')] }));
    assert.deepEqual(await people(), ['ada']);
  });

  it('prunes nothing by a run of some of its files, and says so', async () => {
    write('defs', {
      'main.yaml': [workspaceOf('main')],
      'a.yaml': [person('ada')],
      'b.yaml': [person('bob'), person('cy')],
    });
    await apply(at('defs'));
    writeFileSync(at('defs/b.yaml'), person('cy'));
    const part = await apply([at('defs/main.yaml'), at('defs/b.yaml')]);
    assert.match(part.stdout, /rolecall\/main.*2 more definitions/);
    assert.deepEqual(await people(), ['ada', 'bob', 'cy']);
    await apply(at('defs'));
    assert.deepEqual(await people(), ['ada', 'cy']);
  });

  it('removes what a deleted file had, among those that a run names, once it is told that these are all', async () => {
    write('defs', { 'main.yaml': [workspaceOf('main')], 'a.yaml': [person('ada')], 'b.yaml': [person('bob')] });
    await apply(['main.yaml', 'a.yaml', 'b.yaml'].map((name) => at('defs', name)));
    // Another name may be what became of it.
    renameSync(at('defs/b.yaml'), at('defs/c.yaml'));
    const rest = ['main.yaml', 'a.yaml'].map((name) => at('defs', name));
    const part = await apply(rest);
    assert.match(part.stdout, /these are a part of it: .*--override other-origin:main/);
    assert.deepEqual(await people(), ['ada', 'bob']);
    await apply(rest, '--override', 'other-origin:main');
    assert.deepEqual(await people(), ['ada']);
    const again = await apply(rest);
    assert.doesNotMatch(again.stdout, /part of it/);
  });

  it('refuses definitions of another folder, repository or branch under its name, and writes nothing', async () => {
    await apply(write('one', { 'all.yaml': [workspaceOf('main'), person('ada')] }));
    await refuse(write('two', { 'all.yaml': [workspaceOf('main'), person('bob')] }), /other-origin[^]*spec\.set/);
    assert.deepEqual(await people(), ['ada']);
    rmSync(at('two'), { recursive: true });
    checkOut('repo', 'https://bot:s3cret@git.example.com/acme/access.git', 'ref: refs/heads/main');
    mkdirSync(at('repo/defs'));
    writeFileSync(at('repo/defs/all.yaml'), [workspaceOf('repo'), person('bob')].join('---\n'));
    await apply(at('repo/defs'));
    writeFileSync(at('repo/defs/all.yaml'), [workspaceOf('repo'), person('cy')].join('---\n'));
    writeFileSync(at('repo/.git/HEAD'), 'ref: refs/heads/try\n');
    await refuse(at('repo/defs'), /defs\/ of git\.example\.com\/acme\/access \(branch main\)/);
    const plan = await run('plan', [at('repo/defs')]);
    assert.equal(plan.code, 0, plan.stderr);
    assert.match(plan.stdout, /an apply from here would be refused/);
    assert.doesNotMatch(plan.stdout, /s3cret/);
    const saved = await run('plan', [at('repo/defs')], '--out', at('saved.plan'));
    assert.equal(saved.code, 0, saved.stderr);
    await refuse(at('saved.plan'), /saved\.plan cannot run/);
    writeFileSync(at('repo/.git/HEAD'), 'ref: refs/heads/main\n');
    checkOut('repo', 'git@git.example.com:acme/others.git', 'ref: refs/heads/main');
    await refuse(at('repo/defs'), /other-origin/);
    assert.deepEqual(await people(), ['ada', 'bob']);
    checkOut('repo', 'git@git.example.com:acme/access.git', 'ref: refs/heads/main');
    await apply(at('repo/defs'));
    assert.deepEqual(await people(), ['ada', 'cy']);
    const moved = at('moved');
    renameSync(at('repo/defs'), moved);
    await refuse(moved, /--override other-origin:repo/);
    await apply(moved, '--override', 'other-origin:repo');
    await apply(moved);
  });

  it('applies a saved plan with its memory, and none that another run has overtaken', async () => {
    await apply(write('defs', { 'all.yaml': [workspaceOf('main'), person('ada'), person('bob')] }));
    write('defs', { 'all.yaml': [workspaceOf('main'), person('ada', 'countess')] });
    const saved = await run('plan', [at('defs')], '--out', at('one.plan'));
    assert.equal(saved.code, 0, saved.stderr);
    const other = write('other', { 'all.yaml': [workspaceOf('other'), person('bob')] });
    await apply(other);
    await refuse(at('one.plan'), /what the service remembers of rolecall\/main has changed/);
    await run('plan', [at('defs')], '--out', at('one.plan'));
    await apply(at('one.plan'));
    assert.deepEqual(await people(), ['bob', 'countess']);
  });

  it('goes by what a restored backup remembers', async () => {
    const team = (...more: string[]): string =>
      write('defs', { 'all.yaml': [workspaceOf('main'), role('staff'), ...more] });
    await apply(team(person('ada'), person('bob'), member('bob-staff', 'staff', 'bob')));
    const backup = await runCommand(['backup', '--data', workspace.dataDir, '--out', at('today.backup')]);
    assert.equal(backup.code, 0, backup.stderr);
    // What was renamed, made and deleted since is all undone by the backup.
    await apply(team(person('ada', 'countess'), person('cy'), member('cy-staff', 'staff', 'cy')));
    const keyFile = path.join(workspace.dataDir, 'store.key');
    const restored = await runCommand(['restore', at('today.backup'), '--data', at('data'), '--key-file', keyFile]);
    assert.equal(restored.code, 0, restored.stderr);
    const service = await startService({ dataDir: at('data'), environment: {}, ...onThisMachine });
    try {
      workspace.proxy.target = service.url;
      await apply(at('defs'));
      assert.equal(writes().filter((call) => call.startsWith('PATCH /api/v2/person')).length, 1);
      const again = await run('plan', [at('defs')], '--detailed-exitcode');
      assert.equal(again.code, 0, again.stdout);
      const { keyId, keySecret } = workspace;
      const client = createClient({ url: service.url, keyId, keySecret });
      const usernames = (await client.call('listPeople', {})).map(({ username }) => username).sort();
      await client.close();
      assert.deepEqual(usernames, ['countess', 'cy']);
    } finally {
      await service.close();
    }
  });
});
