import { z } from 'zod';
import { commonFields, reference } from '../fields/common.ts';
import { exactlyOne } from '../fields/exactly-one.ts';
import { line } from '../fields/fields.ts';
import { normaliseWindow, type WithWindow, windowed, windowFields, windowValidations } from '../fields/window.ts';
import { defineKind } from './kind.ts';

const fields = z.strictObject({
  person: reference('Person', 'username', 'The person who gets access'),
  dataSource: reference('DataSource', 'alias', 'The data source'),
  ...windowFields('when it is granted'),
  reason: line({ description: 'Why access is given, for reviewers.', max: 1000 }).exactOptional(),
  ...commonFields,
});

const schema = exactlyOne(windowed(fields), ['expiresAt', 'duration'], 'duration: 8h');

export type PermissionSpec = WithWindow<z.output<typeof schema>>;

export const permission = defineKind({
  kind: 'Permission',
  plural: 'permissions',
  shortNames: ['rcperm'],
  summary:
    "One person's access to one data source for a limited time. A changed window is moved; an expired one stays as it is.",
  example: `apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata:
  name: ada-billing-incident-4711
spec:
  person: ada
  dataSource: billing
  startsAt: 2026-12-01T09:00:00Z
  duration: 8h
  reason: INC-4711
`,
  schema,
  columns: [
    { name: 'Person', jsonPath: '.spec.person' },
    { name: 'DataSource', jsonPath: '.spec.dataSource' },
    { name: 'State', jsonPath: '.status.state' },
    { name: 'Expires', jsonPath: '.status.expiresAt' },
  ],
  selectable: ['person', 'dataSource'],
  validations: windowValidations,
  normalise: (spec): PermissionSpec => normaliseWindow(spec),
  references: ({ person, dataSource }) => [
    { kind: 'Person', name: person, path: ['person'] },
    { kind: 'DataSource', name: dataSource, path: ['dataSource'] },
  ],
  identities: (spec, keyOf) => {
    const person = keyOf('Person', spec.person);
    const dataSource = keyOf('DataSource', spec.dataSource);
    const length = spec.durationSeconds === undefined ? [] : [`${spec.durationSeconds}s`];
    return [
      {
        label: `permission of ${person} for ${dataSource} in that window`,
        parts: [person, dataSource, spec.startsAt ?? '', spec.expiresAt ?? '', ...length],
        path: ['person'],
        foldCase: false,
      },
    ];
  },
});
