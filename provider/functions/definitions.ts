import type { Definition, DefinitionOf, KindName } from '@rolecall/crds';
import type { ProviderFunction } from '../plugin/framework/provider.ts';
import type { Type } from '../plugin/values/type.ts';
import type { ObjectValue, Value } from '../plugin/values/value.ts';

/** How one kind becomes an object of HCL: the attributes of its resource, with names where that has ids. */
interface Shape<K extends KindName> {
  readonly kind: K;
  readonly attributes: Readonly<Record<string, Type>>;
  readonly write: (definition: DefinitionOf<K>) => ObjectValue;
}

const annotated = ({ metadata }: Definition, name: string): boolean =>
  metadata.annotations[`rolecall.dev/${name}`] === 'true';

const shape = <K extends KindName>(of: Shape<K>): Shape<K> => of;

const shapes = {
  data_sources: shape({
    kind: 'DataSource',
    attributes: { name: 'string', alias: 'string', uri: 'string' },
    write: ({ spec: { name, alias, uri } }) => ({ name, alias, uri }),
  }),
  people: shape({
    kind: 'Person',
    attributes: {
      username: 'string',
      name: 'string',
      email: 'string',
      locked: 'bool',
      protected: 'bool',
      replace_allowed: 'bool',
    },
    write: (definition) => {
      const { username, name, email, locked } = definition.spec;
      return {
        username,
        name,
        email,
        locked,
        protected: annotated(definition, 'protected'),
        replace_allowed: annotated(definition, 'replace-allowed'),
      };
    },
  }),
  roles: shape({
    kind: 'Role',
    attributes: {
      name: 'string',
      people: ['list', 'string'],
      data_sources: ['list', 'string'],
      protected: 'bool',
    },
    write: (definition) => {
      const { name, people, dataSources } = definition.spec;
      return {
        name,
        people: people ?? null,
        data_sources: dataSources ?? null,
        protected: annotated(definition, 'protected'),
      };
    },
  }),
  role_memberships: shape({
    kind: 'RoleMembership',
    attributes: {
      role: 'string',
      person: 'string',
      data_source: 'string',
      starts_at: 'string',
      expires_at: 'string',
      duration: 'string',
    },
    write: ({ spec: { role, person, dataSource, startsAt, expiresAt, durationSeconds } }) => ({
      role,
      person: person ?? null,
      data_source: dataSource ?? null,
      starts_at: startsAt ?? null,
      expires_at: expiresAt ?? null,
      duration: durationSeconds === undefined ? null : `${durationSeconds}s`,
    }),
  }),
  permissions: shape({
    kind: 'Permission',
    attributes: {
      person: 'string',
      data_source: 'string',
      starts_at: 'string',
      expires_at: 'string',
      duration: 'string',
      reason: 'string',
    },
    write: ({ spec: { person, dataSource, startsAt, expiresAt, durationSeconds, reason } }) => ({
      person,
      data_source: dataSource,
      starts_at: startsAt ?? null,
      expires_at: expiresAt ?? null,
      duration: durationSeconds === undefined ? null : `${durationSeconds}s`,
      reason: reason ?? null,
    }),
  }),
  snippets: shape({
    kind: 'Snippet',
    attributes: {
      name: 'string',
      description: 'string',
      text: 'string',
      owner_person: 'string',
      owner_role: 'string',
      public_access_level: 'string',
      locked: 'bool',
    },
    write: ({ spec: { name, description, text, owner, publicAccessLevel, locked } }) => ({
      name,
      description,
      text: text ?? '',
      owner_person: owner?.person ?? null,
      owner_role: owner?.role ?? null,
      public_access_level: publicAccessLevel,
      locked,
    }),
  }),
} as const;

const returns: Type = [
  'object',
  Object.fromEntries(
    Object.entries(shapes).map(([name, { attributes }]) => [name, ['map', ['object', attributes]] as const]),
  ),
];

/** `provider::rolecall::definitions(yaml)`. */
export const definitions: ProviderFunction = {
  name: 'definitions',
  summary: 'Reads definitions in YAML',
  description: [
    'Reads the definitions that `rolecall apply` reads, checks them, and gives for each kind a map by `metadata.name`, to be used with `for_each`. Several files are joined with `join("\\n---\\n", …)`. Files that definitions name are looked for from the directory that Terraform runs in.',
    'References to what is declared are its `metadata.name`. Those to what is not declared are the name in the workspace as it was written: look that up with a data source, such as `rolecall_person`. A RoleMembership of a role that lists its members of that kind is in the list of the role, and else in `role_memberships`.',
    'Permissions that are annotated as ended are left out. What is paused or only observed (`managementPolicy: Observe`), `deletionPolicy: Orphan`, definitions of several Workspaces and equal names in two namespaces are errors: Terraform changes what it is given, and deletes what it has in its state and is no longer given.',
    '`passwordFrom` is not read, because what a function gives is written into plans: set `password_wo` of the data source from a variable.',
    '`for_each` costs Terraform more time than any provider: for thousands of objects, generate a block an object (the CDKTF package does) rather than one block with `for_each`.',
  ].join('\n\n'),
  parameters: [{ name: 'yaml', type: 'string', description: 'One or more YAML documents.' }],
  returns,
  call: async ([yaml]) => {
    // Loaded with the first call: reading YAML takes more code than all the rest, and most configurations have none.
    const { loadYaml } = await import('./load-yaml.ts');
    const found = await loadYaml(typeof yaml === 'string' ? yaml : '');
    return Object.fromEntries(Object.entries(shapes).map(([name, of]) => [name, byName(of as Shape<KindName>, found)]));
  },
};

function byName({ kind, write }: Shape<KindName>, found: readonly Definition[]): Value {
  return Object.fromEntries(
    found
      .filter((each) => each.kind === kind)
      .map((each) => [each.metadata.name, write(each as DefinitionOf<KindName>)]),
  );
}
