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
      'The entries after a number, oldest first. An answer ends before `limit` where it would get larger than 4 MiB: ask again after the last number until it is empty. Reading is recorded in the trail, except where there was nothing to read but earlier readings.',
    scope: 'admin',
    limitedKeys: 'refused',
    query: z.strictObject({
      after: wholeNumber
        .optional()
        .meta({ description: 'number of the last entry that you have; 0 when left out', examples: ['0'] }),
      limit: wholeNumber
        .refine((limit) => limit >= 1 && limit <= maxEntryLimit, `must be 1 to ${maxEntryLimit}`)
        .optional()
        .meta({
          description: `number of entries, at most ${maxEntryLimit}; 100 when left out`,
          minimum: 1,
          maximum: maxEntryLimit,
          examples: ['100'],
        }),
    }),
    answer: z.array(auditEntry),
    problems: ['audit_trail_broken', 'storage_full'],
  },
});
