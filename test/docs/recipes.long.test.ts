import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { type Kitchen, openKitchen, recipe } from './recipes.ts';

const api = 'apiVersion: rolecall.dev/v1alpha1';
const people = ['ada', 'grace'].map(
  (name) => `${api}\nkind: Person\nmetadata: { name: ${name} }\nspec: { name: ${name}, email: ${name}@example.com }\n`,
);
const dataSources = ['shop', 'billing'].map(
  (name) => `${api}\nkind: DataSource\nmetadata: { name: ${name} }\nspec: { uri: 'sqlite:///srv/${name}.db' }\n`,
);
const role = (name: string, more: string): string =>
  `${api}\nkind: Role\nmetadata: { name: ${name} }\nspec: { dataSources: [billing]${more} }\n`;
const [joins = '', leaves = '', onCall = '', breakGlass = ''] = [
  'A person joins',
  'A person leaves',
  'On call',
  'Break glass',
].flatMap((heading) => recipe(heading, 'yaml'));

const hasJq = spawnSync('jq', ['--version']).status === 0;

interface Found {
  metadata: { name: string };
  spec: { username: string; locked: boolean };
}

describe('the recipes do what docs/recipes.md says', () => {
  let kitchen: Kitchen;
  before(async () => {
    kitchen = await openKitchen({
      'workspace.yaml': `${api}\nkind: Workspace\nmetadata: { name: main }\nspec: { exact: [roles, permissions] }\n`,
      'people.yaml': people.join('---\n'),
      'data-sources.yaml': dataSources.join('---\n'),
      'roles.yaml': [role('analysts', ''), role('support', ', people: [ada]')].join('---\n'),
      'tomasz.yaml': leaves.replace('  locked: true\n', ''),
      'tomasz-analysts.yaml': `${api}\nkind: RoleMembership\nmetadata: { name: tomasz-analysts }\nspec: { role: analysts, person: tomasz }\n`,
    });
    await kitchen.apply();
  });
  after(() => kitchen[Symbol.asyncDispose]());

  const person = async (username: string) => {
    const all = await kitchen.workspace.client.call('listPeople', {});
    const found = all.find((each) => each.username === username);
    assert.ok(found !== undefined, username);
    return found;
  };
  const accessOf = async (username: string): Promise<string> =>
    (await kitchen.run(`rolecall report access --person ${username}`)).stdout;

  it('who joins reaches what the role reaches, once it is applied', async () => {
    kitchen.write('emmy.yaml', joins);
    await kitchen.apply();
    assert.match(await accessOf('emmy'), /^emmy +billing +role analysts/m);
  });

  it('who leaves is locked, loses all access at once, and an unlock by hand is drift', async () => {
    kitchen.write('tomasz.yaml', leaves);
    const { stdout } = await kitchen.run('rolecall plan access/');
    assert.match(stdout, /tomasz.*(loses|no longer reaches)/i);
    await kitchen.apply();
    const { id, isLocked } = await person('tomasz');
    assert.equal(isLocked, true);
    assert.doesNotMatch(await accessOf('tomasz'), /^tomasz +billing/m);
    await kitchen.workspace.client.call('unlockPerson', { params: { person: id } });
    assert.equal((await kitchen.run('rolecall plan access/ --detailed-exitcode')).code, 2);
    await kitchen.apply();
    assert.equal((await person('tomasz')).isLocked, true);
  });

  it('who changes teams is granted the new before the old is revoked', async () => {
    kitchen.write(
      'roles.yaml',
      [role('analysts', ', people: [ada, emmy]'), role('support', ', people: []')].join('---\n'),
    );
    const { stdout } = await kitchen.run('rolecall plan access/ --format json');
    const { steps } = JSON.parse(stdout) as {
      steps: { id: string; effect: string; object: { name: string }; after: string[] }[];
    };
    const grant = steps.find(({ effect, object }) => effect === 'grant' && object.name === 'analysts');
    const revoke = steps.find(({ effect, object }) => effect === 'revoke' && object.name === 'support');
    assert.ok(grant !== undefined && revoke !== undefined, stdout);
    assert.ok(revoke.after.includes(grant.id), stdout);
    await kitchen.apply();
  });

  it('a week on call is granted ahead, a swap moves it, and it makes no plan', async () => {
    kitchen.write('on-call.yaml', onCall);
    await kitchen.apply();
    const permissions = () => kitchen.workspace.client.call('listPermissions', {});
    const [granted] = await permissions();
    assert.equal(granted?.person.username, 'grace');
    assert.ok(Date.parse(granted.startsAt) > Date.now());
    kitchen.write('on-call.yaml', onCall.replace('person: grace', 'person: ada'));
    await kitchen.apply();
    assert.deepEqual(
      (await permissions()).map(({ person: { username } }) => username),
      ['ada'],
    );
    assert.equal((await kitchen.run('rolecall plan access/ --detailed-exitcode')).code, 0);
  });

  it('a week that is over may stay in its file', async () => {
    const over = new Date(Date.now() - 7_200_000).toISOString().replace(/\.\d+Z/, '.000Z');
    const { id } = await person('grace');
    const shop = (await kitchen.workspace.client.call('listDataSources', {})).find(({ alias }) => alias === 'shop');
    assert.ok(shop !== undefined);
    await kitchen.workspace.client.call('createPermission', {
      params: { person: id, dataSource: shop.id },
      body: { startsAt: over, duration: 3600 },
    });
    kitchen.write(
      'last-week.yaml',
      `${api}\nkind: Permission\nmetadata: { name: last-week }\nspec: { person: grace, dataSource: shop, startsAt: ${over}, duration: 1h }\n`,
    );
    assert.equal((await kitchen.run('rolecall plan access/ --detailed-exitcode')).code, 0);
  });

  it('the glass is broken by its two commands, and it stands in the audit trail', async () => {
    kitchen.write('incident-4711.yaml', breakGlass);
    const [commands = ''] = recipe('Break glass', 'sh');
    const { code, stdout, stderr } = await kitchen.run(commands);
    assert.equal(code, 0, stdout + stderr);
    assert.match(kitchen.read('access/incident-4711.yaml'), /^ {2}startsAt: \S+Z\n {2}duration: 4h$/m);
    assert.match(await accessOf('grace'), /^grace +billing +permission/m);
    const { stdout: trail } = await kitchen.run('rolecall audit list --data ./rolecall-data --since 1h');
    assert.match(
      trail,
      new RegExp(`${kitchen.workspace.keyId}.*createPermission|createPermission.*${kitchen.workspace.keyId}`),
    );
  });

  it('a grant by hand goes with the next apply, where permissions are exact', async () => {
    const { client } = kitchen.workspace;
    const count = (await client.call('listPermissions', {})).length;
    const [shop] = await client.call('listDataSources', {});
    assert.ok(shop !== undefined);
    const params = { person: (await person('ada')).id, dataSource: shop.id };
    await client.call('createPermission', { params, body: { duration: 3600 } });
    await kitchen.apply();
    assert.equal((await client.call('listPermissions', {})).length, count);
  });

  it('the quarterly review writes its page and its table, and each command ends well', async () => {
    const [commands = ''] = recipe('The quarterly review', 'sh');
    const { code, stdout, stderr } = await kitchen.run(commands);
    assert.equal(code, 0, stdout + stderr);
    assert.match(kitchen.read('access.html'), /^<!doctype html>/i);
    assert.match(kitchen.read('access.csv'), /^grace,.*billing/m);
    assert.match(stdout, /createPerson/);
  });

  it('a reminder comes when something ends within the week', async () => {
    const [commands = ''] = recipe('A reminder before access ends', 'sh');
    const { code, stdout } = await kitchen.run(commands);
    assert.equal(code, 0);
    assert.match(stdout, /^access ends within a week$/m);
  });

  it('a renamed role is filled before the old one goes', async () => {
    kitchen.write('roles.yaml', [role('data-analysts', ', people: [ada, emmy]'), role('support', '')].join('---\n'));
    kitchen.write('emmy.yaml', joins.replace('role: analysts', 'role: data-analysts'));
    kitchen.write('tomasz-analysts.yaml', '');
    await kitchen.apply();
    const roles = await kitchen.workspace.client.call('listRoles', {});
    assert.deepEqual(roles.map(({ name }) => name).toSorted(), ['data-analysts', 'support']);
    assert.match(await accessOf('ada'), /^ada +billing +role data-analysts/m);
  });

  it('a rotated password is in the plan as a fingerprint, and in no other way', async () => {
    kitchen.write(
      'ledger.yaml',
      `${api}\nkind: DataSource\nmetadata: { name: ledger }\nspec: { uri: 'postgresql://u@db.internal/ledger', passwordFrom: { env: LEDGER } }\n`,
    );
    const applied = await kitchen.run('LEDGER=pl4nted-0ne rolecall apply access/ --yes');
    assert.equal(applied.code, 0, applied.stderr);
    const { stdout, stderr } = await kitchen.run('LEDGER=pl4nted-tw0 rolecall plan access/');
    assert.match(stdout, /password: another secret -> secret [0-9a-f]{8}/);
    assert.doesNotMatch(applied.stdout + applied.stderr + stdout + stderr, /pl4nted/);
  });
});

describe('people who come from a directory', { skip: hasJq ? false : 'needs jq: apt-get install jq' }, () => {
  const logins = ['ada', 'bob.smith@corp.com', 'Jürgen', 'CORP\\\\eve', '_svc_.-x.', 'a..b'];
  const names = ['ada', 'bob.smith-corp.com', 'j-rgen', 'corp-eve', 'svc.x', 'a.b'];

  it('have their login as username, and names that Kubernetes allows, whatever the logins are', async () => {
    const [commands = ''] = recipe('People come from a directory', 'sh');
    await using kitchen = await openKitchen({});
    const users = logins.map(
      (login, index) => `{"login":"${login}","name":"N","email":"n${index}@x.y","active":false}`,
    );
    const { code, stdout, stderr } = await kitchen.run(
      `cat > users.json <<'END'\n[${users.join(',')}]\nEND\n${commands}`,
    );
    assert.equal(code, 0, stdout + stderr);
    const people = kitchen.read('access/people.yaml').split('---\n').slice(0, -1);
    const found = people.map((text) => JSON.parse(text) as Found);
    assert.deepEqual(
      found.map(({ metadata, spec }) => [metadata.name, spec.username, spec.locked]),
      names.map((name, index) => [name, logins[index]?.replaceAll('\\\\', '\\'), true]),
    );
  });
});

describe('two workspaces from one repository', () => {
  it('are planned each by its name', async () => {
    const [definitions = ''] = recipe('Two workspaces from one repository', 'yaml');
    const [commands = ''] = recipe('Two workspaces from one repository', 'sh');
    await using kitchen = await openKitchen({});
    kitchen.write('all.yaml', definitions.replaceAll(/https:\/\/\S+/g, kitchen.workspace.url));
    const { code, stdout, stderr } = await kitchen.run(`unset ROLECALL_URL\n${commands}`);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Plan: 1 to create/m);
    const unnamed = await kitchen.run('unset ROLECALL_URL\nrolecall plan access/');
    assert.equal(unnamed.code, 1);
    assert.match(unnamed.stderr, /--workspace/);
  });
});
