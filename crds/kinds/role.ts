import { z } from 'zod';
import { commonFields, reference, uniqueList } from '../fields/common.ts';
import { name } from '../fields/fields.ts';
import { defineKind, type WithDefaults } from './kind.ts';

/** A definition has to fit into one object of a cluster, of 1.5 MiB at most. Who has more writes RoleMemberships. */
const mostMembers = 10_000;

const schema = z.strictObject({
  name: name({ description: 'The name of the role in the workspace, unique. Default: metadata.name.' }).exactOptional(),
  people: uniqueList(
    reference('Person', 'username', 'A member'),
    mostMembers,
    'The people who have the role. Given: exactly these and those of RoleMemberships, others are removed. Left out: left alone, unless the Workspace declares memberships exact.',
  ).exactOptional(),
  dataSources: uniqueList(
    reference('DataSource', 'alias', 'A data source'),
    mostMembers,
    'The data sources that the role reaches. Given: exactly these and those of RoleMemberships, others are removed. Left out: left alone, unless the Workspace declares memberships exact.',
  ).exactOptional(),
  ...commonFields,
});

export type RoleSpec = WithDefaults<z.output<typeof schema>, 'name'>;

export const role = defineKind({
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  shortNames: ['rcrole'],
  summary:
    'A group of people that reaches a group of data sources. A role cannot be renamed: a new name is a replacement.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: Role
metadata:
  name: analysts
spec:
  people: [ada, grace]
  dataSources: [billing]
`,
  schema,
  columns: [{ name: 'Role', jsonPath: '.status.name' }],
  keyField: 'name',
  selectable: ['name'],
  normalise: (spec, name): RoleSpec => ({ ...spec, name: spec.name ?? name }),
  references: ({ people = [], dataSources = [] }) => [
    ...people.map((name, index) => ({ kind: 'Person' as const, name, path: ['people', index] })),
    ...dataSources.map((name, index) => ({ kind: 'DataSource' as const, name, path: ['dataSources', index] })),
  ],
  identities: ({ name }) => [{ label: `role name ${name}`, parts: [name], path: ['name'], foldCase: false }],
});
