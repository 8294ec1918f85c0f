import { effectiveAccess, readAccessFacts } from '@rolecall/reconcile';
import { filterAttributes } from '../plugin/framework/list.ts';
import type { DataSource } from '../plugin/framework/provider.ts';
import { computed } from '../plugin/framework/schema.ts';
import type { Type } from '../plugin/values/type.ts';
import type { ObjectValue } from '../plugin/values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { bounded, chosen, passes } from './filters.ts';
import { permissionShape } from './objects.ts';

const element: Type = [
  'object',
  {
    person_id: 'string',
    username: 'string',
    data_source_id: 'string',
    alias: 'string',
    through: ['list', ['object', { role: 'string', permission_id: 'string', until: 'string' }]],
  },
];

const filters = ['person_id', 'data_source_id'];

/** The people with access now, and the data sources that they reach. */
export const access: DataSource<Workspace> = {
  type: 'rolecall_access',
  schema: {
    version: 0,
    description:
      'Who reaches what now, through roles and permissions that are active; locked people reach nothing. Reads every collection, and two lists a role.',
    attributes: {
      ...filterAttributes(permissionShape, filters),
      access: computed(
        ['list', element],
        'An element for each person and data source: `person_id`, `username`, `data_source_id`, `alias` (or null), and `through`: each `role` (a name) or `permission_id`, with `until` for a permission.',
      ),
    },
  },
  read: async (config, { workspace }) => {
    const facts = await readAccessFacts(workspace.wholeView());
    const people = new Map(facts.people.map((person) => [person.key, person]));
    const dataSources = new Map(facts.dataSources.map((dataSource) => [dataSource.key, dataSource]));
    const roles = new Map(facts.roles.map((role) => [role.key, role.name]));
    const all = effectiveAccess(facts, workspace.now()).filter(({ person, dataSource }) =>
      passes({ person_id: person, data_source_id: dataSource }, config, filters),
    );
    const rows = bounded(all, 'rolecall_access', filters).map(
      ({ person, dataSource, grants }): ObjectValue => ({
        person_id: person,
        username: people.get(person)?.username ?? null,
        data_source_id: dataSource,
        alias: dataSources.get(dataSource)?.alias ?? null,
        through: grants.map(({ way, expiresAt }) => ({
          role: way.kind === 'role' ? (roles.get(way.role) ?? null) : null,
          permission_id: way.kind === 'permission' ? way.permission : null,
          until: expiresAt ?? null,
        })),
      }),
    );
    return { ...chosen(config, filters), access: rows };
  },
};
