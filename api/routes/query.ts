import { z } from 'zod';
import { emptyObject, wholeNumber } from '../fields.ts';
import { maxRowLimit, queryId, queryResult, querySchema, rows } from '../resources/query.ts';
import { defineRoutes } from '../route.ts';

const params = z.strictObject({ query: queryId });
const resultParams = z.strictObject({
  query: queryId,
  resultIndex: wholeNumber.meta({ description: 'zero-origin index of the result', examples: ['0'] }),
});
const path = '/api/v2/query/:query';

export const queryRoutes = defineRoutes('Queries', {
  getQuery: {
    method: 'GET',
    path,
    summary: 'Get a query',
    scope: 'read',
    limitedKeys: 'object',
    params,
    answer: querySchema,
  },
  cancelQuery: {
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel a query',
    scope: 'write',
    limitedKeys: 'object',
    params,
    answer: emptyObject,
  },
  deleteQuery: {
    method: 'DELETE',
    path,
    summary: 'Delete a query, which is cancelled if it still runs',
    scope: 'write',
    limitedKeys: 'object',
    params,
    answer: emptyObject,
  },
  getQueryResult: {
    method: 'GET',
    path: `${path}/result/:resultIndex`,
    summary: 'Get a result of a query',
    scope: 'read',
    limitedKeys: 'object',
    params: resultParams,
    answer: queryResult,
  },
  listQueryRows: {
    method: 'GET',
    path: `${path}/result/:resultIndex/rows`,
    summary: 'Read rows of a result',
    problems: ['audit_trail_broken', 'storage_full'],
    scope: 'read',
    limitedKeys: 'object',
    params: resultParams,
    query: z.strictObject({
      seek: wholeNumber.optional().meta({ description: 'zero-origin index of the first row', examples: ['0'] }),
      limit: wholeNumber
        .refine((limit) => limit >= 1 && limit <= maxRowLimit, `must be 1 to ${maxRowLimit}`)
        .optional()
        .meta({
          description: `number of rows, at most ${maxRowLimit}; 1000 when left out`,
          minimum: 1,
          maximum: maxRowLimit,
          examples: ['1000'],
        }),
    }),
    answer: rows,
  },
});
