import { dataSourceKey, emailKey, personKey, roleKey, snippetNameKey, type View } from '@rolecall/reconcile';
import { filterAttributes } from '../plugin/framework/list.ts';
import type { DataSource } from '../plugin/framework/provider.ts';
import { type Attribute, computed } from '../plugin/framework/schema.ts';
import type { Type } from '../plugin/values/type.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { access } from './access.ts';
import { bounded, chosen, passes } from './filters.ts';
import {
  dataSourceShape,
  permissionShape,
  personShape,
  roleShape,
  type Shape,
  snippetShape,
  write,
} from './objects.ts';
import { oneOf } from './one.ts';

const ids = (what: string): Attribute => computed(['set', 'string'], `The identifiers of the ${what} in the role.`);

const asList = <T>(object: T | undefined): readonly T[] => (object === undefined ? [] : [object]);

/** Everything that can only be read: one and many of each kind, and who reaches what. */
export const dataSources: readonly DataSource<Workspace>[] = [
  oneOf({
    type: 'rolecall_person',
    noun: 'person',
    shape: personShape,
    keys: ['id', 'username', 'email'],
    find: async (key, value, workspace) => {
      const { byId, byKey, byEmail } = await workspace.view().people();
      if (key === 'id') return asList(byId.get(value));
      return key === 'email' ? (byEmail.get(emailKey(value)) ?? []) : (byKey.get(personKey(value)) ?? []);
    },
  }),
  manyOf('people', personShape, ['locked'], (view) => view.people()),
  oneOf({
    type: 'rolecall_role',
    noun: 'role',
    shape: roleShape,
    keys: ['id', 'name'],
    find: async (key, value, workspace) => {
      const { byId, byKey } = await workspace.view().roles();
      return key === 'id' ? asList(byId.get(value)) : (byKey.get(roleKey(value)) ?? []);
    },
    more: {
      attributes: { person_ids: ids('people'), data_source_ids: ids('data sources') },
      read: async ({ id }, workspace) => ({
        person_ids: (await workspace.view().rolePeople(id)).all.map((member) => member.id),
        data_source_ids: (await workspace.view().roleDataSources(id)).all.map((member) => member.id),
      }),
    },
  }),
  manyOf('roles', roleShape, [], (view) => view.roles()),
  oneOf({
    type: 'rolecall_data_source',
    noun: 'data source',
    shape: dataSourceShape,
    keys: ['id', 'alias'],
    find: async (key, value, workspace) => {
      const { byId, byKey } = await workspace.view().dataSources();
      return key === 'id' ? asList(byId.get(value)) : (byKey.get(dataSourceKey(value)) ?? []);
    },
  }),
  manyOf('data_sources', dataSourceShape, ['type'], (view) => view.dataSources()),
  oneOf({
    type: 'rolecall_permission',
    noun: 'permission',
    shape: permissionShape,
    keys: ['id'],
    find: async (_key, value, workspace) => asList((await workspace.view().permissions()).byId.get(value)),
  }),
  manyOf('permissions', permissionShape, ['person_id', 'data_source_id'], (view) => view.permissions()),
  oneOf({
    type: 'rolecall_snippet',
    noun: 'snippet',
    shape: snippetShape,
    keys: ['id', 'name'],
    find: async (key, value, workspace) => {
      const { byId, byName } = await workspace.view().snippets();
      return key === 'id' ? asList(byId.get(value)) : (byName.get(snippetNameKey(value)) ?? []);
    },
  }),
  manyOf('snippets', snippetShape, ['owner_person_id', 'owner_role_id', 'public_access_level', 'locked'], (view) =>
    view.snippets(),
  ),
  access,
];

/**
 * A data source that gives a collection, or the part of it that has given values.
 *
 * @param name such as `people`: the attribute that holds the objects, and the end of the type
 * @param filters the attributes that narrow it
 */
function manyOf<T>(
  name: string,
  shape: Shape<T>,
  filters: readonly string[],
  list: (view: View) => Promise<{ readonly all: readonly T[] }>,
): DataSource<Workspace> {
  const nouns = name.replace('_', ' ');
  const fields = Object.entries(shape);
  const element: Type = ['object', Object.fromEntries(fields.map(([field, { type }]) => [field, type]))];
  const described = fields.map(([field, { description }]) => `\`${field}\`: ${description}`).join(' ');
  return {
    type: `rolecall_${name}`,
    schema: {
      version: 0,
      description: `All ${nouns} of the workspace${filters.length === 0 ? '' : ', or those with the given values'}.`,
      attributes: {
        ...filterAttributes(shape, filters),
        [name]: computed(['list', element], `The ${nouns}. ${described}`),
      },
    },
    read: async (config, { workspace }) => {
      const rows = (await list(workspace.view())).all
        .map((object) => write(shape, object))
        .filter((row) => passes(row, config, filters));
      return { ...chosen(config, filters), [name]: bounded(rows, `rolecall_${name}`, filters) };
    },
  };
}
