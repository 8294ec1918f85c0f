import { emptyObject } from '../fields.ts';
import { queryResult, querySchema, rows, rowsPage } from '../resources/query.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/query/:query';

export const queryRoutes = defineRoutes('Queries', {
  getQuery: {
    method: 'GET',
    path,
    summary: 'Get a query',
    scope: 'read',
    limitedKeys: 'object',
    answer: querySchema,
  },
  cancelQuery: {
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel a query',
    scope: 'write',
    limitedKeys: 'object',
    answer: emptyObject,
  },
  deleteQuery: {
    method: 'DELETE',
    path,
    summary: 'Delete a query, cancelling it if it is still running',
    scope: 'write',
    limitedKeys: 'object',
    answer: emptyObject,
  },
  getQueryResult: {
    method: 'GET',
    path: `${path}/result/:resultIndex`,
    summary: 'Get a result of a query',
    scope: 'read',
    limitedKeys: 'object',
    answer: queryResult,
  },
  listQueryRows: {
    method: 'GET',
    path: `${path}/result/:resultIndex/rows`,
    summary: 'Read rows of a result',
    problems: ['audit_trail_broken', 'storage_full'],
    scope: 'read',
    limitedKeys: 'object',
    query: rowsPage,
    answer: rows,
  },
});
