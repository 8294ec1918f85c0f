import { z } from 'zod';
import { line, named, shortId, timestamp } from '../fields.ts';
import { longestName, maxDurationSeconds } from '../text-rules.ts';
import { dataSourceAlias, dataSourceId, dataSourceName } from './data-source.ts';
import { instant } from './permission.ts';
import { personEmail, personId, personName, username } from './person.ts';

export const roleId = shortId('r5Hj1pZc9VdC').describe('identifier of the role');
export const roleName = line(longestName, 'analysts').describe('unique name');

const assignedAt = timestamp().describe('when the membership was created');

export const roleSchema = z
  .object({ id: roleId, name: roleName, createdAt: timestamp(), updatedAt: timestamp() })
  .meta({ id: 'Role', description: 'A named group of people and data sources.' });

export const roleReference = z
  .object({ id: roleId, name: roleName })
  .meta({ id: 'RoleReference', description: 'A role, as another resource refers to it.' });

/** A time in which a membership holds; without a start from when it was made, without an end until it is removed. */
export const membershipWindow = z
  .object({
    startsAt: timestamp().exactOptional().describe('when the membership begins to hold; absent: when it was created'),
    expiresAt: timestamp('2026-11-09T08:30:00.000Z')
      .exactOptional()
      .describe('when it ends; absent: when it is removed'),
  })
  .meta({ id: 'MembershipWindow', description: 'A time in which a person has a role.' });

const windows = z
  .array(membershipWindow)
  .exactOptional()
  .describe('only then the person has the role; absent: as long as the membership is there');

/** A role in the list of a person's or data source's roles. */
export const roleAssignment = z
  .object({ id: roleId, name: roleName, assignedAt, windows })
  .meta({ id: 'RoleAssignment', description: 'A role that a person or data source is in.' });

export const rolePerson = z
  .object({ id: personId, username, email: personEmail, name: personName, assignedAt, windows })
  .meta({ id: 'RolePerson', description: 'A person in a role.' });

export const roleDataSource = z
  .object({ id: dataSourceId, name: dataSourceName, alias: dataSourceAlias, assignedAt })
  .meta({ id: 'RoleDataSource', description: 'A data source in a role.' });

/** The request to create a role. */
export const newRole = z.strictObject({ name: named(roleName) });

/** The request to edit a role: fields that are left out stay as they are. */
export const roleChange = newRole.partial();

/** The most windows that one membership has: a turn each week for two years. */
export const mostWindows = 104;

const isLength = (ms: number): boolean => ms % 1000 === 0 && ms <= maxDurationSeconds * 1000;

const newWindow = z
  .strictObject({
    startsAt: instant.exactOptional().describe('default: at once'),
    expiresAt: instant.exactOptional().meta({
      description: 'default: never; a whole number of seconds after startsAt',
      examples: ['2026-11-09T08:30:00.000Z'],
    }),
  })
  // For the OpenAPI document; the first rule below gives the message.
  .meta({ minProperties: 1 })
  .refine(
    ({ startsAt, expiresAt }) => startsAt !== undefined || expiresAt !== undefined,
    'must have startsAt, expiresAt or both',
  )
  .refine(
    ({ startsAt, expiresAt }) => startsAt === undefined || expiresAt === undefined || startsAt < expiresAt,
    'must end after it begins',
  )
  // As definitions and permissions count: an export could not write down another one.
  .refine(
    ({ startsAt, expiresAt }) =>
      startsAt === undefined || expiresAt === undefined || isLength(Date.parse(expiresAt) - Date.parse(startsAt)),
    'must be a whole number of seconds long, and at most 3153600000',
  );

/** The request to let a person have a role at certain times. */
export const newRoleWindows = z.strictObject({
  windows: z
    .array(newWindow)
    .min(1, 'must have at least 1 window')
    .max(mostWindows, `must have at most ${mostWindows} windows`)
    .meta({
      description: 'all the times; others that the membership had end',
      examples: [[{ startsAt: '2026-11-02T08:30:00.000Z', expiresAt: '2026-11-09T08:30:00.000Z' }]],
    }),
});

export type MembershipWindow = z.output<typeof membershipWindow>;
export type Role = z.output<typeof roleSchema>;
export type RoleAssignment = z.output<typeof roleAssignment>;
export type RolePerson = z.output<typeof rolePerson>;
export type RoleDataSource = z.output<typeof roleDataSource>;
