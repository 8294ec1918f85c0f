import { dataSourceKey, emailKey, personKey, roleKey, snippetNameKey } from '@rolecall/reconcile';
import type { DataSource } from '../plugin/framework/provider.ts';
import type { Attribute } from '../plugin/framework/schema.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { access } from './access.ts';
import { manyOf } from './many.ts';
import { dataSourceShape, permissionShape, personShape, roleShape, snippetShape } from './objects.ts';
import { oneOf } from './one.ts';

const ids = (what: string): Attribute => ({
  type: ['set', 'string'],
  presence: 'computed',
  description: `The identifiers of the ${what} in the role.`,
});

const found = <T>(object: T | undefined): readonly T[] => (object === undefined ? [] : [object]);

/** Everything that can only be read: one and many of each kind, and who reaches what. */
export const dataSources: readonly DataSource<Workspace>[] = [
  oneOf({
    type: 'rolecall_person',
    noun: 'person',
    shape: personShape,
    keys: ['id', 'username', 'email'],
    find: async (key, value, workspace) => {
      const { byId, byKey, byEmail } = await workspace.view().people();
      if (key === 'id') return found(byId.get(value));
      return key === 'email' ? (byEmail.get(emailKey(value)) ?? []) : (byKey.get(personKey(value)) ?? []);
    },
  }),
  manyOf({
    type: 'rolecall_people',
    attribute: 'people',
    nouns: 'people',
    shape: personShape,
    list: async (workspace) => (await workspace.view().people()).all,
  }),
  oneOf({
    type: 'rolecall_role',
    noun: 'role',
    shape: roleShape,
    keys: ['id', 'name'],
    find: async (key, value, workspace) => {
      const { byId, byKey } = await workspace.view().roles();
      return key === 'id' ? found(byId.get(value)) : (byKey.get(roleKey(value)) ?? []);
    },
    more: {
      attributes: { person_ids: ids('people'), data_source_ids: ids('data sources') },
      read: async ({ id }, workspace) => ({
        person_ids: (await workspace.view().rolePeople(id)).all.map((member) => member.id),
        data_source_ids: (await workspace.view().roleDataSources(id)).all.map((member) => member.id),
      }),
    },
  }),
  manyOf({
    type: 'rolecall_roles',
    attribute: 'roles',
    nouns: 'roles',
    shape: roleShape,
    list: async (workspace) => (await workspace.view().roles()).all,
  }),
  oneOf({
    type: 'rolecall_data_source',
    noun: 'data source',
    shape: dataSourceShape,
    keys: ['id', 'alias'],
    find: async (key, value, workspace) => {
      const { byId, byKey } = await workspace.view().dataSources();
      return key === 'id' ? found(byId.get(value)) : (byKey.get(dataSourceKey(value)) ?? []);
    },
  }),
  manyOf({
    type: 'rolecall_data_sources',
    attribute: 'data_sources',
    nouns: 'data sources',
    shape: dataSourceShape,
    list: async (workspace) => (await workspace.view().dataSources()).all,
  }),
  oneOf({
    type: 'rolecall_permission',
    noun: 'permission',
    shape: permissionShape,
    keys: ['id'],
    find: async (_key, value, workspace) => found((await workspace.view().permissions()).byId.get(value)),
  }),
  manyOf({
    type: 'rolecall_permissions',
    attribute: 'permissions',
    nouns: 'permissions',
    shape: permissionShape,
    list: async (workspace) => (await workspace.view().permissions()).all,
  }),
  oneOf({
    type: 'rolecall_snippet',
    noun: 'snippet',
    shape: snippetShape,
    keys: ['id', 'name'],
    find: async (key, value, workspace) => {
      const { byId, byName } = await workspace.view().snippets();
      return key === 'id' ? found(byId.get(value)) : (byName.get(snippetNameKey(value)) ?? []);
    },
  }),
  manyOf({
    type: 'rolecall_snippets',
    attribute: 'snippets',
    nouns: 'snippets',
    shape: snippetShape,
    list: async (workspace) => (await workspace.view().snippets()).all,
  }),
  access,
];
