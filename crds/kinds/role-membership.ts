import { z } from 'zod';
import { commonFields, noteFields, reference } from '../fields/common.ts';
import { crossCheck, exactlyOne } from '../fields/exactly-one.ts';
import { normaliseWindow, type WithWindow, windowed, windowFields, windowValidations } from '../fields/window.ts';
import { complain } from '../issue.ts';
import { defineKind } from './kind.ts';

const fields = z.strictObject({
  role: reference('Role', 'name', 'The role'),
  person: reference('Person', 'username', 'The person who gets the role').exactOptional(),
  dataSource: reference('DataSource', 'alias', 'The data source that the role reaches').exactOptional(),
  ...windowFields('as soon as it is made'),
  ...noteFields,
  ...commonFields,
});

const times = ['startsAt', 'expiresAt', 'duration'] as const;

const timed = crossCheck(windowed(fields), (payload) => {
  const given = times.filter((field) => Object.hasOwn(payload.value, field));
  const [first] = given;
  if (first === undefined) return;
  if (given.includes('expiresAt') && given.includes('duration')) {
    const message = 'has expiresAt and duration, but may have only one of them';
    complain(payload, { code: 'fields_exclusive', message, remedy: 'Keep one of them and remove the rest.' });
  }
  if (!Object.hasOwn(payload.value, 'dataSource') || Object.hasOwn(payload.value, 'person')) return;
  complain(payload, {
    code: 'fields_exclusive',
    path: [first],
    message: 'is for a person: a data source is in a role as long as the membership is there',
    remedy: `Remove ${given.join(' and ')}, or give the people of the role a time.`,
  });
});

const schema = exactlyOne(timed, ['person', 'dataSource'], 'person: ada');

export type RoleMembershipSpec = WithWindow<z.output<typeof schema>>;

export const roleMembership = defineKind({
  kind: 'RoleMembership',
  plural: 'rolememberships',
  shortNames: ['rcmember'],
  summary:
    'Adds one person or one data source to a role and leaves all other members alone. A person may have the role for a time.',
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
    { name: 'State', jsonPath: '.status.state' },
    { name: 'Expires', jsonPath: '.status.expiresAt' },
  ],
  selectable: ['role', 'person', 'dataSource'],
  immutable: ['role', 'person', 'dataSource'],
  validations: [
    ...windowValidations,
    {
      rule: '!has(self.expiresAt) || !has(self.duration)',
      message: 'must have only one of expiresAt and duration',
      fieldPath: '.duration',
    },
    ...times.map((field) => ({
      rule: `!has(self.${field}) || has(self.person)`,
      message: `${field} is for a person, not for a data source`,
      fieldPath: `.${field}`,
    })),
  ],
  normalise: (spec): RoleMembershipSpec => normaliseWindow(spec),
  references: ({ role, person, dataSource }) => [
    { kind: 'Role', name: role, path: ['role'] },
    ...(person === undefined ? [] : [{ kind: 'Person' as const, name: person, path: ['person'] }]),
    ...(dataSource === undefined ? [] : [{ kind: 'DataSource' as const, name: dataSource, path: ['dataSource'] }]),
  ],
  identities: ({ role, person, dataSource, startsAt, expiresAt, durationSeconds }, keyOf) => {
    const isPerson = person !== undefined;
    const member = isPerson ? keyOf('Person', person) : keyOf('DataSource', dataSource ?? '');
    const roleName = keyOf('Role', role);
    const isTimed = (startsAt ?? expiresAt ?? durationSeconds) !== undefined;
    const window = isTimed ? [startsAt ?? '', expiresAt ?? '', String(durationSeconds ?? '')] : [];
    return [
      {
        label: `membership of ${member} in role ${roleName}${isTimed ? ' at that time' : ''}`,
        parts: [roleName, isPerson ? 'person' : 'data-source', member, ...window],
        path: [isPerson ? 'person' : 'dataSource'],
        foldCase: false,
      },
    ];
  },
});
