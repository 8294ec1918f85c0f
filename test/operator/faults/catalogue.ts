import type { Client } from '@rolecall/api';

/** What is declared: specs by `Kind/name`. */
export type Declared = Readonly<Record<string, Declaration>>;

export interface Declaration {
  readonly spec: Record<string, unknown>;
}

/** From one state of a namespace to another one. */
export interface Transition {
  readonly before: Declared;
  readonly after: Declared;
  /** What people did to the workspace, before the operator comes to it at all, or after it made the first state. */
  readonly first?: (client: Client) => Promise<void>;
  readonly besides?: (client: Client) => Promise<void>;
  /** The Secret `billing-db` is changed as well. */
  readonly rotates?: true;
  readonly workspace?: Record<string, unknown>;
  /** The Workspace is deleted too. */
  readonly leaves?: true;
}

const person = (username: string, more: object = {}): Declaration => ({
  spec: { username, name: `Person ${username}`, email: `${username}@example.com`, ...more },
});
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
const source = (more: object = {}): Declaration => ({ spec: { uri, ...more } });
const passwordFrom = { secretKeyRef: { name: 'billing-db', key: 'password' } };
const role = (spec: Record<string, unknown>): Declaration => ({ spec });
const permission = (more: object = {}): Declaration => ({
  spec: { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z', ...more },
});
const snippet = (more: object = {}): Declaration => ({ spec: { text: 'select 1', ...more } });

const team: Declared = {
  'Person/ada': person('ada'),
  'Person/grace': person('grace'),
  'DataSource/billing': source(),
  'Role/analysts': role({ people: ['ada', 'grace'], dataSources: ['billing'] }),
};
const everything: Declared = {
  ...team,
  'DataSource/billing': source({ passwordFrom }),
  'Person/linus': person('linus', { locked: true }),
  'RoleMembership/linus': { spec: { role: 'analysts', person: 'linus' } },
  'Permission/ada': permission(),
  'Snippet/top': snippet({ owner: { role: 'analysts' } }),
};
const without = (declared: Declared, ...names: string[]): Declared =>
  Object.fromEntries(Object.entries(declared).filter(([name]) => !names.includes(name)));

const personOf = async (client: Client, username: string) =>
  (await client.call('listPeople', {})).find((one) => one.username === username)!.id;

/** Everything that can become of an object of each kind. */
export const catalogue: Readonly<Record<string, Transition>> = {
  'everything is created': { before: {}, after: everything },
  'everything is adopted': {
    before: {},
    after: team,
    first: async (client) => {
      const { id: ada } = await client.call('createPerson', { body: { ...people('ada') } });
      const body = { name: 'billing', alias: 'billing', configUri: uri };
      const { id: billing } = await client.call('createDataSource', { body });
      const { id } = await client.call('createRole', { body: { name: 'analysts' } });
      await client.call('addRolePerson', { params: { role: id, person: ada } });
      await client.call('addRoleDataSource', { params: { role: id, dataSource: billing } });
    },
  },
  'a person is locked': { before: team, after: { ...team, 'Person/grace': person('grace', { locked: true }) } },
  'people are edited': {
    before: { ...everything, 'Snippet/hers': snippet({ owner: { person: 'ada' } }) },
    after: {
      ...everything,
      'Snippet/hers': snippet({ owner: { person: 'ada' } }),
      'Person/ada': person('ada', { name: 'Ada King', email: 'ada@king.example' }),
      'Person/grace': person('hopper'),
    },
  },
  'a role is filled otherwise': {
    before: team,
    after: { ...team, 'Role/analysts': role({ people: ['grace'], dataSources: [] }) },
  },
  'a role is renamed': {
    before: everything,
    after: {
      ...everything,
      'Role/analysts': role({ name: 'readers', people: ['ada', 'grace'], dataSources: ['billing'] }),
    },
  },
  'access moves from a role to a permission': {
    before: team,
    after: {
      ...team,
      'Role/analysts': role({ people: ['grace'], dataSources: ['billing'] }),
      'Permission/ada': permission(),
    },
  },
  'access moves from a permission to a role': {
    before: {
      ...team,
      'Role/analysts': role({ people: ['grace'], dataSources: ['billing'] }),
      'Permission/ada': permission(),
    },
    after: team,
  },
  'a membership is replaced by another one': {
    before: {
      ...without(team, 'Role/analysts'),
      'Role/one': role({ dataSources: ['billing'] }),
      'Role/two': role({ dataSources: ['billing'] }),
      'RoleMembership/one': { spec: { role: 'one', person: 'ada' } },
    },
    after: {
      ...without(team, 'Role/analysts'),
      'Role/one': role({ dataSources: ['billing'] }),
      'Role/two': role({ dataSources: ['billing'] }),
      'RoleMembership/two': { spec: { role: 'two', person: 'ada' } },
    },
  },
  'the window of a permission is changed': {
    before: { ...without(team, 'Role/analysts'), 'Permission/ada': permission() },
    after: { ...without(team, 'Role/analysts'), 'Permission/ada': permission({ expiresAt: '2098-01-01T00:00:00Z' }) },
  },
  'a permission that gives only its length is created': {
    before: without(team, 'Role/analysts'),
    after: {
      ...without(team, 'Role/analysts'),
      'Permission/ada': { spec: { person: 'ada', dataSource: 'billing', duration: '8h' } },
    },
  },
  'a data source is changed': {
    before: team,
    after: {
      ...team,
      'DataSource/billing': source({ name: 'Billing', uri: 'postgresql://other@127.0.0.1:5433/billing' }),
    },
  },
  'a data source gets another alias': {
    before: team,
    after: { ...team, 'DataSource/billing': source({ alias: 'accounts' }) },
  },
  'a password is rotated': { before: everything, after: everything, rotates: true },
  'a snippet is changed': {
    before: everything,
    after: {
      ...everything,
      'Snippet/top': snippet({ text: 'select 2', locked: true, publicAccessLevel: 'read_only' }),
    },
  },
  'everything drifted': {
    before: everything,
    after: everything,
    besides: async (client) => {
      const [[source], [role], [granted], [snippet], ada] = await Promise.all([
        client.call('listDataSources', {}),
        client.call('listRoles', {}),
        client.call('listPermissions', {}),
        client.call('listSnippets', {}),
        personOf(client, 'ada'),
      ]);
      await client.call('lockPerson', { params: { person: await personOf(client, 'grace') } });
      await client.call('deletePermission', { params: { permission: granted!.id } });
      await client.call('removeRolePerson', { params: { role: role!.id, person: ada } });
      await client.call('updateDataSource', { params: { dataSource: source!.id }, body: { name: 'by hand' } });
      await client.call('deleteSnippet', { params: { snippet: snippet!.id } });
    },
  },
  'an object of each kind is deleted': {
    before: everything,
    after: without(everything, 'Person/linus', 'RoleMembership/linus', 'Permission/ada', 'Snippet/top'),
  },
  'a role is deleted while a permission gives the same': {
    before: everything,
    after: without(everything, 'Role/analysts', 'RoleMembership/linus', 'Snippet/top'),
  },
  'a data source and who reached it are deleted': {
    before: everything,
    after: { 'Person/grace': person('grace') },
  },
  'everything is deleted, with the Workspace': { before: everything, after: {}, leaves: true },
  'what no one declares is removed': {
    before: team,
    after: team,
    workspace: { exact: ['people', 'roles', 'permissions'], rails: { maxRemovalPercent: 100 } },
    besides: async (client) => {
      const { id } = await client.call('createRole', { body: { name: 'undeclared' } });
      await client.call('addRolePerson', { params: { role: id, person: await personOf(client, 'ada') } });
      await client.call('createPerson', { body: people('mallory') });
    },
  },
};

function people(username: string) {
  return { username, name: `Person ${username}`, email: `${username}@example.com` };
}
