import type { Definition, DefinitionOf, KindName } from '@rolecall/crds';
import type { ProviderFunction } from '../plugin/framework/provider.ts';
import type { Type } from '../plugin/values/type.ts';
import type { Value } from '../plugin/values/value.ts';

/** An attribute of the objects of HCL that one kind becomes, and where its value is; undefined is null. */
interface Field<D> {
  readonly type: Type;
  readonly read: (definition: D) => Value | undefined;
}

/** Converts one kind to objects of HCL: the attributes of its resource, with names where that has ids. */
interface Shape<K extends KindName> {
  readonly kind: K;
  readonly fields: Readonly<Record<string, Field<DefinitionOf<K>>>>;
}

function shape<K extends KindName>(kind: K, fields: Shape<K>['fields']): Shape<K> {
  return { kind, fields };
}

function text<D>(read: (definition: D) => string | undefined): Field<D> {
  return { type: 'string', read };
}

function texts<D>(read: (definition: D) => readonly string[] | undefined): Field<D> {
  return { type: ['list', 'string'], read };
}

function flag<D>(read: (definition: D) => boolean): Field<D> {
  return { type: 'bool', read };
}

const annotated = (name: string): Field<Definition> =>
  flag(({ metadata }) => metadata.annotations[`rolecall.dev/${name}`] === 'true');

interface Timed {
  readonly spec: Pick<DefinitionOf<'Permission'>['spec'], 'startsAt' | 'expiresAt' | 'durationSeconds'>;
}

const times = {
  starts_at: text(({ spec }: Timed) => spec.startsAt),
  expires_at: text(({ spec }: Timed) => spec.expiresAt),
  duration: text(({ spec: { durationSeconds: seconds } }: Timed) =>
    seconds === undefined ? undefined : `${seconds}s`,
  ),
};

const shapes = {
  data_sources: shape('DataSource', {
    name: text(({ spec }) => spec.name),
    alias: text(({ spec }) => spec.alias),
    uri: text(({ spec }) => spec.uri),
  }),
  people: shape('Person', {
    username: text(({ spec }) => spec.username),
    name: text(({ spec }) => spec.name),
    email: text(({ spec }) => spec.email),
    locked: flag(({ spec }) => spec.locked),
    protected: annotated('protected'),
  }),
  roles: shape('Role', {
    name: text(({ spec }) => spec.name),
    people: texts(({ spec }) => spec.people),
    data_sources: texts(({ spec }) => spec.dataSources),
    protected: annotated('protected'),
  }),
  role_memberships: shape('RoleMembership', {
    role: text(({ spec }) => spec.role),
    person: text(({ spec }) => spec.person),
    data_source: text(({ spec }) => spec.dataSource),
    ...times,
  }),
  permissions: shape('Permission', {
    person: text(({ spec }) => spec.person),
    data_source: text(({ spec }) => spec.dataSource),
    ...times,
    reason: text(({ spec }) => spec.reason),
  }),
  snippets: shape('Snippet', {
    name: text(({ spec }) => spec.name),
    description: text(({ spec }) => spec.description),
    text: text(({ spec }) => spec.text ?? ''),
    owner_person: text(({ spec }) => spec.owner?.person),
    owner_role: text(({ spec }) => spec.owner?.role),
    public_access_level: text(({ spec }) => spec.publicAccessLevel),
    locked: flag(({ spec }) => spec.locked),
  }),
} as const;

const returns: Type = [
  'object',
  Object.fromEntries(Object.entries(shapes).map(([name, { fields }]) => [name, ['map', elementOf(fields)] as const])),
];

function elementOf(fields: Readonly<Record<string, Pick<Field<never>, 'type'>>>): Type {
  return ['object', Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]))];
}

/** `provider::rolecall::definitions(yaml)`. */
export const definitions: ProviderFunction = {
  name: 'definitions',
  summary: 'Reads definitions in YAML',
  description: [
    'Reads the definitions that `rolecall apply` reads, checks them, and gives for each kind a map by `metadata.name`, to be used with `for_each`. Several files are joined with `join("\\n---\\n", …)`; the example `definitions` names the files of a folder and its sub-folders that `rolecall apply` reads. Files that definitions name are looked for from the directory that Terraform runs in.',
    'References to what is declared are its `metadata.name`. Those to what is not declared are the name in the workspace as it was written: look that up with a data source, such as `rolecall_person`. A RoleMembership of a role that lists its members of that kind is in the list of the role, and else in `role_memberships`.',
    'Permissions that are annotated as ended are left out. What is paused or only observed (`managementPolicy: Observe`), `deletionPolicy: Orphan`, definitions of several Workspaces and equal names in two namespaces are errors: Terraform changes what it is given, and deletes what it has in its state and is no longer given.',
    '`passwordFrom` is not read, because what a function gives is written into plans: set `password_wo` of the data source from a variable.',
    '`for_each` costs Terraform more time than any provider: for thousands of objects, generate a block an object (the CDKTF package does) rather than one block with `for_each`.',
  ].join('\n\n'),
  parameters: [{ name: 'yaml', type: 'string', description: 'One or more documents in YAML or JSON.' }],
  returns,
  call: async ([yaml]) => {
    // Loaded with the first call: reading YAML takes more code than all the rest, and most configurations have none.
    const { loadYaml } = await import('./load-yaml.ts');
    const objects = await loadYaml(typeof yaml === 'string' ? yaml : '');
    return Object.fromEntries(
      Object.entries(shapes).map(([name, of]) => [name, byName(of as Shape<KindName>, objects)]),
    );
  },
};

function byName({ kind, fields }: Shape<KindName>, objects: readonly Definition[]): Value {
  return Object.fromEntries(
    objects
      .filter((object) => object.kind === kind)
      .map((object) => [
        object.metadata.name,
        Object.fromEntries(Object.entries(fields).map(([name, { read }]) => [name, read(object) ?? null])),
      ]),
  );
}
