import { z } from 'zod';
import { emptyObject, text, wholeNumber } from '../../fields.ts';
import { editorId } from '../../resources/editor.ts';
import { queryId, queryResult, queryStarted, rows, rowsPage } from '../../resources/query.ts';
import {
  exportFormats,
  longestSearch,
  maxQueryLimit,
  myQuery,
  newEditorQuery,
  queryCommands,
} from '../resources/query.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/query/:query` as const;

export const myQueryRoutes = definePersonRoutes('My queries', {
  executeInEditor: {
    method: 'POST',
    path: `${personApiPath}/editor/:editor/query`,
    summary: 'Execute commands on the data source of an editor',
    description:
      "Begins a query, which runs the commands in a single transaction. It is cancelled when the person's access ends.",
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    body: { encoding: 'json', schema: newEditorQuery },
    answer: queryStarted,
  },
  listMyQueries: {
    method: 'GET',
    path: `${personApiPath}/query`,
    summary: "List the person's queries, the newest first",
    description:
      'With `search`, those whose commands contain a text, among the newest 10,000 and only on data sources that the person reaches now. The case of the letters A to Z makes no difference. With `editor`, those of one editor among the newest 10,000.',
    session: 'whole',
    query: z.strictObject({
      search: text({ min: 1, max: longestSearch }, 'orders').optional().describe('only queries that contain this text'),
      editor: editorId.optional().describe('only queries that were run in this editor'),
      before: queryId.optional().describe('only queries that are older than this one'),
      limit: wholeNumber
        .refine((limit) => limit >= 1 && limit <= maxQueryLimit, `must be 1 to ${maxQueryLimit}`)
        .optional()
        .meta({
          description: `number of queries, at most ${maxQueryLimit}; 50 when left out`,
          minimum: 1,
          maximum: maxQueryLimit,
          examples: ['50'],
        }),
    }),
    answer: z.array(myQuery),
  },
  getMyQuery: {
    method: 'GET',
    path,
    summary: 'Get a query',
    session: 'whole',
    ownObject: 'query',
    answer: myQuery,
  },
  getMyQueryCommands: {
    method: 'GET',
    path: `${path}/command`,
    summary: 'Get what a query ran',
    session: 'whole',
    ownObject: 'query',
    reaches: true,
    answer: queryCommands,
  },
  cancelMyQuery: {
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel a query',
    session: 'whole',
    ownObject: 'query',
    answer: emptyObject,
  },
  deleteMyQuery: {
    method: 'DELETE',
    path,
    summary: 'Delete a query, which is cancelled if it still runs',
    session: 'whole',
    ownObject: 'query',
    answer: emptyObject,
  },
  getMyQueryResult: {
    method: 'GET',
    path: `${path}/result/:resultIndex`,
    summary: 'Get a result of a query',
    session: 'whole',
    ownObject: 'query',
    reaches: true,
    answer: queryResult,
  },
  listMyQueryRows: {
    method: 'GET',
    path: `${path}/result/:resultIndex/rows`,
    summary: 'Read rows of a result',
    session: 'whole',
    ownObject: 'query',
    reaches: true,
    query: rowsPage,
    answer: rows,
    problems: ['audit_trail_broken', 'storage_full'],
  },
  exportMyQueryResult: {
    method: 'GET',
    path: `${path}/result/:resultIndex/export`,
    summary: 'Download all rows of a result',
    description:
      "As CSV (RFC 4180), with an apostrophe before texts that a spreadsheet would take for a formula, or as a JSON list of objects. If the person's access ends in between, the connection is cut, so that the file does not look whole.",
    session: 'whole',
    ownObject: 'query',
    reaches: true,
    query: z.strictObject({ format: z.enum(exportFormats).meta({ examples: ['csv'] }) }),
    sends: ['text/csv', 'application/json'],
    answer: z.string(),
    problems: ['audit_trail_broken', 'result_incomplete', 'storage_full'],
  },
});
