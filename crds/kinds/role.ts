import { z } from 'zod';
import { commonFields, noteFields, reference, uniqueList } from '../fields/common.ts';
import { line, name } from '../fields/fields.ts';
import { labelSelector } from '../fields/label-selector.ts';
import { defineKind, type WithDefaults } from './kind.ts';

/** A definition must fit into one Kubernetes object of at most 1.5 MiB. RoleMemberships can add more members. */
const mostMembers = 10_000;

/** Most roles that a role may contain, nested ones included: each costs a look-up for each role above it. */
export const mostContained = 100;

const schema = z.strictObject({
  name: name({ description: 'The unique name of the role in the workspace. Default: metadata.name.' }).exactOptional(),
  people: uniqueList(
    reference('Person', 'username', 'A member'),
    mostMembers,
    'The people who have the role. If present, the role has exactly these people and those of RoleMemberships; others are removed. If absent, its people are left alone, unless the Workspace declares memberships exact.',
  ).exactOptional(),
  dataSources: uniqueList(
    reference('DataSource', 'alias', 'A data source'),
    mostMembers,
    'The data sources that the role gives access to. If present, the role has exactly these data sources and those of RoleMemberships; others are removed. If absent, its data sources are left alone, unless the Workspace declares memberships exact.',
  ).exactOptional(),
  dataSourceSelector: labelSelector(
    'Selects data sources by the labels of their definitions (metadata.labels), beside those of dataSources. The role has exactly these and those of RoleMemberships; others are removed.',
  ).exactOptional(),
  roles: uniqueList(
    line({ description: 'A contained role: the metadata.name of a declared Role, or its name in the workspace.' }),
    mostContained,
    'Other roles whose data sources this role gives too, with those of the roles that they contain. It gives none of their people. Counts as a list of data sources: the role has exactly these, those of dataSources and dataSourceSelector, and those of RoleMemberships.',
  ).exactOptional(),
  ...noteFields,
  ...commonFields,
});

export type RoleSpec = WithDefaults<z.output<typeof schema>, 'name'>;

export const role = defineKind({
  kind: 'Role',
  plural: 'roles',
  shortNames: ['rcrole'],
  summary: 'Gives a group of people access to a group of data sources.',
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
  references: ({ people = [], dataSources = [], roles = [] }) => [
    ...people.map((name, index) => ({ kind: 'Person' as const, name, path: ['people', index] })),
    ...dataSources.map((name, index) => ({ kind: 'DataSource' as const, name, path: ['dataSources', index] })),
    ...roles.map((name, index) => ({ kind: 'Role' as const, name, path: ['roles', index] })),
  ],
  identities: ({ name }) => [{ label: `role name ${name}`, parts: [name], path: ['name'], foldCase: false }],
});
