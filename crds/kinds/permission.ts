import { maxDurationSeconds } from '@rolecall/api';
import { z } from 'zod';
import { commonFields, reference } from '../fields/common.ts';
import { crossCheck, exactlyOne } from '../fields/exactly-one.ts';
import { line } from '../fields/fields.ts';
import { duration, timestamp } from '../fields/time-fields.ts';
import { celTimestamp } from '../fields/timestamp.ts';
import { complain } from '../issue.ts';
import { defineKind } from './kind.ts';

const fields = z.strictObject({
  person: reference('Person', 'username', 'The person who gets access'),
  dataSource: reference('DataSource', 'alias', 'The data source'),
  startsAt: timestamp('When access begins. Default: when it is granted.').exactOptional(),
  expiresAt: timestamp('When access ends.').exactOptional(),
  duration: duration(
    'How long access lasts, instead of expiresAt: 8h, 90m, 1h30m, 7d, 2w or whole seconds.',
  ).exactOptional(),
  reason: line({ description: 'Why access is given, for reviewers.', max: 1000 }).exactOptional(),
  ...commonFields,
});

const windowed = crossCheck(fields, (payload) => {
  const complaint = windowComplaint(payload.value);
  if (complaint !== undefined) complain(payload, { code: 'window_invalid', ...complaint });
});

const schema = exactlyOne(windowed, ['expiresAt', 'duration'], 'duration: 8h');

type Written = z.output<typeof schema>;

/** The normal form: the end is `expiresAt`, or `durationSeconds` if the window has no start. */
export type PermissionSpec = Omit<Written, 'duration'> & { durationSeconds?: number };

/**
 * Whether the window has a length but neither start nor end. Its times then depend on when it is first granted, which the
 * operator and Terraform remember and the command line cannot.
 */
export function needsAnchor(spec: Pick<PermissionSpec, 'startsAt' | 'expiresAt'>): boolean {
  return spec.startsAt === undefined && spec.expiresAt === undefined;
}

/** The latest time that a timestamp can express. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

function windowComplaint({ startsAt, expiresAt, duration: seconds }: Record<string, unknown>) {
  // A malformed time was already reported, and is no longer text here.
  if (typeof startsAt !== 'string') return undefined;
  const start = Date.parse(startsAt);
  if (typeof seconds === 'number' && start + seconds * 1000 > lastTime) {
    return { path: ['duration'], message: 'ends after the year 9999', remedy: 'Write a shorter duration.' };
  }
  if (typeof expiresAt !== 'string') return undefined;
  const length = Date.parse(expiresAt) - start;
  const path = ['expiresAt'];
  if (length <= 0) {
    return { path, message: 'is not after startsAt', remedy: `Write a time after ${startsAt}.` };
  }
  if (length % 1000 !== 0) {
    const remedy = 'Give both the same fraction of a second, or none.';
    return { path, message: 'is not a whole number of seconds after startsAt', remedy };
  }
  if (length <= maxDurationSeconds * 1000) return undefined;
  return { path, message: 'is more than 3,153,600,000 seconds after startsAt', remedy: 'Write an earlier time.' };
}

function normalise({ duration: seconds, ...spec }: Written): PermissionSpec {
  if (seconds === undefined) return spec;
  if (spec.startsAt === undefined) return { ...spec, durationSeconds: seconds };
  return { ...spec, expiresAt: new Date(Date.parse(spec.startsAt) + seconds * 1000).toISOString() };
}

const noWindow = '!has(self.startsAt) || !has(self.expiresAt)';
const start = celTimestamp('startsAt');
const end = celTimestamp('expiresAt');

export const permission = defineKind({
  kind: 'Permission',
  plural: 'permissions',
  singular: 'permission',
  shortNames: ['rcperm'],
  summary:
    "One person's access to one data source for a limited time. A changed window is a new permission; an expired one stays as it is.",
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
  validations: [
    ...(['startsAt', 'expiresAt'] as const).map((field) => ({
      rule: `!has(self.${field}) || ${celTimestamp(field)}.getFullYear() > 0`,
      message: `${field} must be a time that exists`,
      fieldPath: `.${field}`,
    })),
    {
      rule: `${noWindow} || ${end} > ${start}`,
      message: 'expiresAt must be after startsAt',
      fieldPath: '.expiresAt',
    },
    {
      rule: `${noWindow} || (${end} - ${start}).getMilliseconds() % 1000 == 0`,
      message: 'expiresAt must be a whole number of seconds after startsAt',
      fieldPath: '.expiresAt',
    },
    {
      rule: `${noWindow} || ${end} - ${start} <= duration("${maxDurationSeconds}s")`,
      message: 'expiresAt must be at most 3,153,600,000 seconds after startsAt',
      fieldPath: '.expiresAt',
    },
  ],
  normalise,
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
