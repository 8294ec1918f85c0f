import { z } from 'zod';
import { notBoth, numericId, timestamp } from '../fields.ts';
import { maxDurationSeconds } from '../text-rules.ts';
import { dataSourceId, dataSourceReference } from './data-source.ts';
import { personId, personReference } from './person.ts';

export const permissionId = numericId('4711').describe('identifier of the permission');

const startsAt = timestamp('2026-11-02T08:30:00.000Z').describe('when access begins');
const expiresAt = timestamp('2026-11-02T16:30:00.000Z').describe('when access ends');
const createdAt = timestamp('2026-11-02T08:12:45.125Z');
const person = personReference;
const dataSource = dataSourceReference;

export const permissionGrant = z
  .object({ id: permissionId, startsAt, expiresAt, createdAt })
  .meta({ id: 'PermissionGrant', description: 'A permission that was just created.' });

export const permissionSchema = z
  .object({ id: permissionId, createdAt, startsAt, expiresAt, person, dataSource })
  .meta({ id: 'Permission', description: 'A time-limited grant of one data source to one person.' });

/** A single permission; the specification leaves out its `startsAt`. */
export const permissionEnd = z
  .object({ id: permissionId, createdAt, expiresAt, person, dataSource })
  .meta({ id: 'PermissionEnd', description: 'A permission, without its start.' });

export const permissionWindow = z
  .object({ id: permissionId, personId, dataSourceId, startsAt, expiresAt })
  .meta({ id: 'PermissionWindow', description: 'A permission in its flat form.' });

/** A permission in a person's list; the specification leaves out its `startsAt`. */
export const personPermission = z
  .object({ id: permissionId, personId, dataSourceId, expiresAt })
  .meta({ id: 'PersonPermission', description: 'A permission of a person, in its flat form and without its start.' });

/** RFC 3339, cut off at milliseconds. */
export const instant = z
  .string()
  .regex(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$/,
    'must be a timestamp such as 2026-11-02T08:30:00.000Z',
  )
  .transform((value, context) => {
    const time = parseInstant(value);
    if (time !== undefined) return time.toISOString();
    context.addIssue({ code: 'custom', message: 'must be a time that exists, in the years 1 to 9999' });
    return z.NEVER;
  })
  .meta({ format: 'date-time', examples: ['2026-11-02T08:30:00.000Z'] });

const duration = z
  .int()
  .min(1, 'must be at least 1 second')
  .max(maxDurationSeconds, 'must be at most 3153600000 seconds')
  .meta({ description: 'how long the permission is active, in seconds', examples: [28_800] });

/** The request to create a permission. */
export const newPermission = z.strictObject({
  duration,
  startsAt: instant.optional().describe('when the permission begins; default: now'),
});

/** The request to edit a permission: fields that are left out stay as they are. */
export const permissionChange = z
  .strictObject({
    startsAt: instant.optional().describe('when access begins'),
    expiresAt: instant.optional().describe('when access ends'),
    duration: duration.optional(),
  })
  .refine(
    ({ expiresAt, duration: length }) => expiresAt === undefined || length === undefined,
    'must have expiresAt or duration, not both',
  )
  .meta({ ...notBoth('expiresAt', 'duration'), examples: [{ expiresAt: '2026-11-02T18:30:00.000Z' }] });

/** The instant that an RFC 3339 text names, or undefined if it does not exist, such as 31 February. */
function parseInstant(text: string): Date | undefined {
  const time = new Date(text.toUpperCase());
  if (Number.isNaN(time.getTime())) return undefined;
  // Date turns 31 February into 3 March, so a day exists only if it survives the round trip.
  const day = text.slice(0, 10);
  if (new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return undefined;
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time : undefined;
}

export type Permission = z.output<typeof permissionSchema>;
export type PermissionGrant = z.output<typeof permissionGrant>;
export type PermissionWindow = z.output<typeof permissionWindow>;
