import { z } from 'zod';
import { wholeNumber } from '../fields.ts';
import { auditEntry, maxEntryLimit } from '../resources/audit.ts';
import { defineRoutes } from '../route.ts';

export const auditRoutes = defineRoutes('Audit trail', {
  listAuditEntries: {
    method: 'GET',
    path: '/api/v2/audit',
    summary: 'Read the audit trail',
    description:
      'Returns the entries after a number, or the newest ones before a number, oldest first. An answer of 4 MiB ends before `limit`: continue after its last number, or before its first, until an answer is empty. Each read is recorded in the trail, unless it returned nothing but the records of earlier reads.',
    scope: 'admin',
    limitedKeys: 'refused',
    query: z
      .strictObject({
        after: wholeNumber
          .optional()
          .meta({ description: 'number of the last entry that you have; default: 0', examples: ['0'] }),
        before: wholeNumber
          .optional()
          .meta({ description: 'instead of `after`: number of the first entry that you have', examples: ['100'] }),
        limit: wholeNumber
          .refine((limit) => limit >= 1 && limit <= maxEntryLimit, `must be 1 to ${maxEntryLimit}`)
          .optional()
          .meta({
            description: `number of entries, at most ${maxEntryLimit}; default: 100`,
            minimum: 1,
            maximum: maxEntryLimit,
            examples: ['100'],
          }),
      })
      .refine(({ after, before }) => after === undefined || before === undefined, {
        path: ['before'],
        message: 'must not be combined with after',
      }),
    answer: z.array(auditEntry),
    problems: ['audit_trail_broken', 'storage_full'],
  },
});
