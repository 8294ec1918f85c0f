import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { dataSourceId, dataSourceSchema } from './data-source.ts';
import { declarationsSchema } from './declaration.ts';
import { managerName } from './manager.ts';
import { permissionId } from './permission.ts';
import { personId, personSchema } from './person.ts';
import { membershipWindow, roleId, roleSchema } from './role.ts';
import { listedSnippet } from './snippet.ts';

const digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url without padding');

/** The most passwords that one request may compare. */
export const mostComparisons = 1000;

const include = z
  .literal('snippets')
  .optional()
  .meta({ description: 'adds the snippets, with the texts of their active versions', examples: ['snippets'] });

const declaredBy = managerName.optional().describe('adds the objects that the definitions of this manager stand for');

export const snapshotQuery = z.strictObject({ include, declaredBy });

/** The request to read the workspace and to compare passwords with those that it has. */
export const snapshotComparison = z.strictObject({
  include,
  declaredBy,
  key: digest.meta({
    description: '32 random bytes, new for each request',
    examples: ['Q29tcGFyZXNhUGFzc3dvcmRXaXRob3V0U2VuZGluZzE'],
  }),
  passwords: z
    .record(z.string().min(1).max(255), digest)
    .refine((digests) => Object.keys(digests).length <= mostComparisons, `must be at most ${mostComparisons}`)
    .meta({
      description: 'by the alias of the data source: HMAC-SHA-256 of the password (UTF-8) with the key',
      maxProperties: mostComparisons,
      examples: [{ billing: 'p2Yx0cQn5kU3mB7sV1tR9wE4dF6gH8jL0aZ-_xCvBnM' }],
    }),
});

const passwordFingerprint = z
  .string()
  .nullable()
  .meta({
    description:
      'changes with the password of the data source, and only with it (and with the key of the store); tells nothing else of it. null: no password',
    examples: ['b1Xw0rJ5uQeY7dK2nT9sVg'],
  });

const snapshotDataSource = dataSourceSchema
  .extend({
    uri: z.string().meta({
      description: 'the connection URI, without its password',
      examples: ['postgresql://reporting@db.internal:5432/billing?sslmode=require'],
    }),
    passwordFingerprint,
    passwordMatches: z
      .boolean()
      .nullable()
      .exactOptional()
      .meta({
        description:
          'whether the password is the one that the request has sent a digest of; null if this key has been wrong too often; absent where nothing was sent',
        examples: [true],
      }),
  })
  .meta({ id: 'SnapshotDataSource', description: 'A data source, with its connection but without its password.' });

const assignedAt = timestamp().describe('when the membership was created');

const snapshotRolePerson = z
  .object({ roleId, personId, assignedAt })
  .meta({ id: 'SnapshotRolePerson', description: 'A person in a role, by identifiers.' });

const snapshotRoleWindow = membershipWindow
  .extend({ roleId, personId })
  .meta({ id: 'SnapshotRoleWindow', description: 'A time in which a person has a role, by identifiers.' });

const snapshotRoleDataSource = z
  .object({ roleId, dataSourceId, assignedAt })
  .meta({ id: 'SnapshotRoleDataSource', description: 'A data source in a role, by identifiers.' });

const snapshotPermission = z
  .object({
    id: permissionId,
    personId,
    dataSourceId,
    startsAt: timestamp().describe('when access begins'),
    expiresAt: timestamp().describe('when access ends'),
    createdAt: timestamp(),
  })
  .meta({ id: 'SnapshotPermission', description: 'A permission, by identifiers.' });

export const snapshotSchema = z
  .object({
    dataSources: z.array(snapshotDataSource),
    people: z.array(personSchema),
    roles: z.array(roleSchema),
    rolePeople: z.array(snapshotRolePerson),
    roleWindows: z
      .array(snapshotRoleWindow)
      .optional()
      .describe('of people who have a role only at certain times; absent: the service keeps no such times'),
    roleDataSources: z.array(snapshotRoleDataSource),
    permissions: z.array(snapshotPermission),
    adminRole: z
      .string()
      .exactOptional()
      .meta({
        description: 'the name of the role whose members are administrators on the page; absent: there is none',
        examples: ['administrators'],
      }),
    snippets: z.array(listedSnippet).optional(),
    declared: declarationsSchema.optional(),
  })
  .meta({
    id: 'Snapshot',
    description: 'The workspace at one moment. References are identifiers, and each leads to an object that is here.',
  });

export type Snapshot = z.output<typeof snapshotSchema>;
export type SnapshotDataSource = z.output<typeof snapshotDataSource>;
export type SnapshotComparison = z.output<typeof snapshotComparison>;
