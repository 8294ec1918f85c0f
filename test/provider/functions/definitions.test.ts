import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitions } from '../../../provider/functions/definitions.ts';

type Maps = Record<string, Record<string, Record<string, unknown>>>;

const document = (kind: string, metadata: string, spec: string): string =>
  `apiVersion: rolecall.dev/v1alpha1\nkind: ${kind}\nmetadata: { ${metadata} }\nspec: { ${spec} }\n`;
const person = (name: string, metadata = '', spec = ''): string =>
  document('Person', `name: ${name}${metadata}`, `${spec}name: Somebody, email: ${name}@example.com`);
const role = (spec: string): string => document('Role', 'name: analysts', spec);
const membership = (name: string, spec: string): string => document('RoleMembership', `name: ${name}`, spec);
const billing = document('DataSource', 'name: billing', "uri: 'sqlite:///srv/billing.db?mode=ro'");
const paused = ', annotations: { rolecall.dev/paused: "true" }';

/** Joined as the documentation has it. */
const read = async (...files: string[]): Promise<Maps> => (await definitions.call([files.join('\n---\n')])) as Maps;
const namesIn = (maps: Maps, kind: string): string[] => Object.keys(maps[kind] ?? {});
const refused = async (pattern: RegExp, ...files: string[]): Promise<void> => {
  await assert.rejects(read(...files), (error: Error) => {
    assert.match(error.message, pattern);
    return true;
  });
};

describe('the function definitions', () => {
  it('takes no text for a path that is longer than any, and reads one line of 300,000 full stops at once', async () => {
    await refused(/"\.\/people\.yaml" is a path/, './people.yaml');
    await refused(/^the definitions have errors/, '.'.repeat(5_000));
    await refused(/the name of a field has more than 1,024 characters/, `${'.'.repeat(300_000)}:`);
  });

  it('leaves out permissions that are over', async () => {
    const maps = await read(
      person('ada'),
      billing,
      document(
        'Permission',
        'name: over, annotations: { rolecall.dev/ended: "true" }',
        'person: ada, dataSource: billing, startsAt: 2020-01-01T00:00:00Z, duration: 8h',
      ),
    );
    assert.deepEqual(namesIn(maps, 'permissions'), []);
  });

  it('refuses what is paused or only observed, which Terraform would change or delete', async () => {
    await refused(/rolecall\.dev\/paused"\] leaves it as it is, which a resource .*state rm/, person('grace', paused));
    await refused(/spec\.managementPolicy leaves it as it is/, person('tomasz', '', 'managementPolicy: Observe, '));
  });

  it('gives the time of a membership, and refuses where Terraform would give the role for longer', async () => {
    const turn = (name: string, time: string) => membership(name, `role: r, person: p, ${time}`);
    const maps = await read(turn('turn', 'duration: 7d'), membership('always', 'role: r, person: q'));
    assert.deepEqual(maps['role_memberships'], {
      turn: { role: 'r', person: 'p', data_source: null, starts_at: null, expires_at: null, duration: '604800s' },
      always: { role: 'r', person: 'q', data_source: null, starts_at: null, expires_at: null, duration: null },
    });
    const other = turn('other', 'startsAt: 2029-01-01T00:00:00Z');
    await refused(
      /spec\.startsAt declares a second window for RoleMembership turn/,
      turn('turn', 'duration: 7d'),
      other,
    );
    await refused(
      /spec\.expiresAt is a time in Role analysts, which lists its people: .* for good/,
      role('people: []'),
      membership('one', 'role: analysts, person: p, expiresAt: 2029-01-01T00:00:00Z'),
    );
  });

  it('says of a path that it takes the text of a file', async () => {
    for (const path of ['access/people.yaml', './access', 'people.yml']) {
      await refused(/^"[./a-z]+" is a path, and definitions takes the text of a file: file\("[./a-z]+"\)$/, path);
      await refused(/ is a path/, billing, path);
    }
  });

  it('says of a text without definitions that its files may be missing', async () => {
    for (const text of ['', '# later\n', '---\n'])
      await refused(/^the text has no definition\. If fileset .* none$/, text);
  });

  it('refuses definitions of several Workspaces, since a provider has one', async () => {
    const workspace = (name: string): string =>
      document('Workspace', `name: ${name}`, `url: 'https://${name}.example.com'`);
    const both = [workspace('production'), workspace('staging')];
    const inProduction = person('ada', '', 'workspaceRef: production, ');
    await refused(
      /several Workspaces, production, staging, and a provider has one: call the function/,
      ...both,
      inProduction,
      person('grace', '', 'workspaceRef: staging, '),
    );
    assert.deepEqual(namesIn(await read(...both, inProduction), 'people'), ['ada']);
  });

  it('refuses one name in two namespaces, since one of the two would be lost', async () => {
    const other = person('ada', ', namespace: b', 'username: ada2, ').replace('email: ada@', 'email: ada2@');
    await refused(
      /-:9:19 error: metadata\.name is the name of another Person\/ada at -:1/,
      person('ada', ', namespace: a'),
      other,
    );
  });

  it('refuses what Terraform would delete and is to be left behind', async () => {
    await refused(
      /spec\.deletionPolicy is Orphan, but Terraform deletes/,
      person('ada', '', 'deletionPolicy: Orphan, '),
    );
  });

  it('writes the data sources that a role selects into its list, and those of memberships', async () => {
    const labelled = (name: string, tier: string): string =>
      document('DataSource', `name: ${name}, labels: { tier: ${tier} }`, `uri: 'sqlite:///srv/${name}.db?mode=ro'`);
    const maps = await read(
      ...[labelled('a', 'gold'), labelled('b', 'iron'), billing],
      role('dataSourceSelector: { matchLabels: { tier: gold } }'),
      membership('billing-analysts', 'role: analysts, dataSource: billing'),
    );
    assert.deepEqual(maps['roles']?.['analysts']?.['data_sources'], ['a', 'billing']);
    assert.deepEqual(namesIn(maps, 'role_memberships'), []);
  });

  it('writes the data sources that contained roles give into the list of a role, and no people', async () => {
    const ofSupport = (spec: string): string => document('Role', 'name: support', spec);
    const maps = await read(
      ...[billing, person('ada'), role('roles: [support]'), ofSupport('name: Support, people: [ada]')],
      membership('billing-support', 'role: Support, dataSource: billing'),
    );
    assert.ok(maps['roles']?.['analysts'] !== undefined);
    assert.deepEqual(maps['roles']['analysts']['data_sources'], ['billing']);
    assert.equal(maps['roles']['analysts']['people'], null);
    assert.deepEqual(namesIn(maps, 'role_memberships'), ['billing-support']);
  });

  it('puts memberships into the list of their role, where it has one', async () => {
    const maps = await read(
      person('ada'),
      person('grace'),
      billing,
      role('people: [ada]'),
      membership('one', 'role: analysts, person: grace'),
      membership('two', 'role: analysts, person: ada'),
      membership('three', 'role: analysts, dataSource: billing'),
    );
    assert.deepEqual(maps['roles']?.['analysts']?.['people'], ['ada', 'grace']);
    assert.deepEqual(namesIn(maps, 'role_memberships'), ['three']);
  });

  it('writes references as the names that the maps have, and what is not declared as it is', async () => {
    const maps = await read(
      person('ada', '', 'username: Ada.L, '),
      role('people: [ada.l, nobody.here]'),
      membership('one', 'role: analysts, dataSource: elsewhere'),
      document('Permission', 'name: p', 'person: Ada.L, dataSource: elsewhere, duration: 8h'),
      document('Snippet', 'name: s', 'name: Top, text: select 1, owner: { person: ADA.L }'),
    );
    assert.deepEqual(maps['roles']?.['analysts']?.['people'], ['ada', 'nobody.here']);
    assert.equal(maps['role_memberships']?.['one']?.['data_source'], 'elsewhere');
    assert.equal(maps['permissions']?.['p']?.['person'], 'ada');
    assert.equal(maps['snippets']?.['s']?.['owner_person'], 'ada');
  });

  it('takes files with a byte order mark, joined with others', async () => {
    const mark = '\uFEFF';
    const maps = await read(`${mark}${person('ada')}`, `${mark}${person('grace')}`, `${mark}---\r\n${person('emmy')}`);
    assert.deepEqual(namesIn(maps, 'people'), ['ada', 'grace', 'emmy']);
    await refused(/byte order mark in its middle/, `${person('ada')}\n${mark}# no new file\n`);
  });
});
