import { z } from 'zod';
import { commonFields, reference } from '../fields/common.ts';
import { exactlyOne } from '../fields/exactly-one.ts';
import { defineKind } from './kind.ts';

const schema = exactlyOne(
  z.strictObject({
    role: reference('Role', 'name', 'The role'),
    person: reference('Person', 'username', 'The person who gets the role').exactOptional(),
    dataSource: reference('DataSource', 'alias', 'The data source that the role reaches').exactOptional(),
    ...commonFields,
  }),
  ['person', 'dataSource'],
  'person: ada',
);

export type RoleMembershipSpec = z.output<typeof schema>;

export const roleMembership = defineKind({
  kind: 'RoleMembership',
  plural: 'rolememberships',
  singular: 'rolemembership',
  shortNames: ['rcmember'],
  summary: 'Adds one person or one data source to a role and leaves all other members alone.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: RoleMembership
metadata:
  name: grace-analysts
spec:
  role: analysts
  person: grace
`,
  schema,
  columns: [
    { name: 'Role', jsonPath: '.spec.role' },
    { name: 'Person', jsonPath: '.spec.person' },
    { name: 'DataSource', jsonPath: '.spec.dataSource' },
  ],
  selectable: ['role', 'person', 'dataSource'],
  immutable: ['role', 'person', 'dataSource'],
  normalise: (spec): RoleMembershipSpec => spec,
  references: ({ role, person, dataSource }) => [
    { kind: 'Role', name: role, path: ['role'] },
    ...(person === undefined ? [] : [{ kind: 'Person' as const, name: person, path: ['person'] }]),
    ...(dataSource === undefined ? [] : [{ kind: 'DataSource' as const, name: dataSource, path: ['dataSource'] }]),
  ],
  identities: ({ role, person, dataSource }, keyOf) => {
    const isPerson = person !== undefined;
    const member = isPerson ? keyOf('Person', person) : keyOf('DataSource', dataSource ?? '');
    const roleName = keyOf('Role', role);
    return [
      {
        label: `membership of ${member} in role ${roleName}`,
        parts: [roleName, isPerson ? 'person' : 'data-source', member],
        path: [isPerson ? 'person' : 'dataSource'],
        foldCase: false,
      },
    ];
  },
});
