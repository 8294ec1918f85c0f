import { z } from 'zod';
import { timestamp, wholeNumber } from '../../fields.ts';
import { dataSourceReference } from '../../resources/data-source.ts';
import { longestManager } from '../../resources/manager.ts';
import { personReference } from '../../resources/person.ts';
import { queryId } from '../../resources/query.ts';

/** Lines on a page, and the reach of paging: a search finds the rest. */
export const administrationPage = 100;
const lastOffset = 100_000;

export const administratorSchema = z
  .object({ isAdministrator: z.boolean().meta({ examples: [false] }) })
  .meta({ id: 'Administrator', description: 'Whether the person is an administrator.' });

/** Query of a list for administrators. */
export const administrationSearch = z.strictObject({
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'a part of a name, username or alias, ignoring case', examples: ['ada'] }),
  offset: wholeNumber
    .refine((offset) => offset <= lastOffset, `must be 0 to ${lastOffset}`)
    .optional()
    .meta({ description: 'how many lines to leave out', minimum: 0, maximum: lastOffset, examples: ['0'] }),
});

const isComplete = z.boolean().meta({ description: 'false where more lines follow', examples: [true] });

export const grantLine = z
  .object({
    person: personReference,
    isLocked: z.boolean().meta({ description: 'a locked person reaches nothing', examples: [false] }),
    dataSource: dataSourceReference,
    through: z.enum(['role', 'permission']).meta({ examples: ['permission'] }),
    id: z.string().meta({ description: 'identifier of the role or of the permission', examples: ['17'] }),
    role: z
      .string()
      .nullable()
      .meta({ description: 'name of the role; null for a permission', examples: [null] }),
    startsAt: timestamp('2026-11-02T08:30:00.000Z'),
    expiresAt: timestamp('2026-11-02T16:30:00.000Z').nullable().describe('null for a role'),
    managedBy: z
      .string()
      .max(longestManager)
      .nullable()
      .meta({ description: 'who declared it; null if unknown', examples: ['rolecall/acme'] }),
  })
  .meta({ id: 'GrantLine', description: 'One way by which one person reaches one data source, now or later.' });

export const grantPage = z
  .object({ readAt: timestamp(), grants: z.array(grantLine), isComplete })
  .meta({ id: 'GrantPage', description: 'Who reaches what, by person and data source.' });

export const runningQuery = z
  .object({
    id: queryId,
    person: personReference.nullable().meta({ description: 'null if an API key runs it' }),
    dataSource: dataSourceReference,
    createdAt: timestamp(),
    startedAt: timestamp().nullable(),
  })
  .meta({ id: 'RunningQuery', description: 'A query that is not complete.' });

export type GrantLine = z.output<typeof grantLine>;
export type RunningQuery = z.output<typeof runningQuery>;
