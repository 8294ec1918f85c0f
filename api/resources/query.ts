import { z } from 'zod';
import { text, timestamp, uuid } from '../fields.ts';

export const queryId = uuid('0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007').describe('identifier of the query');

/** The largest page of rows that one request may ask for. */
export const maxRowLimit = 10_000;

const nullableTime = timestamp().nullable();

export const querySchema = z
  .object({
    id: queryId,
    createdAt: timestamp(),
    startedAt: nullableTime.describe('null until execution begins'),
    completedAt: nullableTime.describe('null until the query completes'),
    success: z
      .boolean()
      .nullable()
      .meta({ description: 'null while in progress', examples: [true] }),
    numResults: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'null until results exist', examples: [1] }),
  })
  .meta({ id: 'Query', description: 'An asynchronous execution of commands on a data source.' });

export const columnFormats = ['string', 'integer', 'numeric', 'date', 'timestamp', 'timestamptz', 'bytea'] as const;

const column = z
  .object({
    ordinalPosition: z
      .int()
      .min(0)
      .meta({ examples: [0] }),
    name: z.string().meta({ examples: ['customer'] }),
    type: z.string().meta({ description: 'as the database reports it', examples: ['text'] }),
    format: z.enum(columnFormats).meta({ description: 'how a cell is written in the rows', examples: ['string'] }),
  })
  .meta({ id: 'Column', description: 'A column of a result.' });

const resultFields = {
  queryId,
  ordinalPosition: z
    .int()
    .min(0)
    .meta({ examples: [0] }),
  startedAt: timestamp(),
  completedAt: nullableTime.describe('null while not complete'),
};

export const queryResult = z
  .discriminatedUnion('type', [
    z.object({
      ...resultFields,
      type: z.literal('query'),
      detail: z.object({
        columns: z.array(column),
        hasMore: z.boolean().meta({ description: 'more rows are still being fetched', examples: [false] }),
        numRows: z
          .int()
          .min(0)
          .meta({ description: 'rows that can be read', examples: [1] }),
        error: z.string().optional().describe('what failed while the rows were being fetched'),
      }),
    }),
    z.object({
      ...resultFields,
      type: z.literal('update'),
      detail: z.object({ updateCount: z.int().min(0).nullable().describe('rows that were changed') }),
    }),
    z.object({
      ...resultFields,
      type: z.literal('error'),
      detail: z.object({ error: z.string().describe("the database's message") }),
    }),
  ])
  .meta({ id: 'QueryResult', description: 'The result of one command.' });

export const rows = z
  .array(z.array(z.string().nullable()))
  .meta({ id: 'Rows', description: 'Rows of cells, written by the format of their columns.', examples: [[['Acme']]] });

/** What executing takes. */
export const newQuery = z.strictObject({
  commands: z
    .array(text({ min: 1, max: 1_000_000 }, 'select 1'))
    .min(1, 'must have at least one command')
    .max(1000, 'must have at most 1000 commands')
    .describe('run one after another in a single transaction'),
});

export const queryStarted = z.object({ queryId }).meta({ id: 'QueryStarted', description: 'A query that was begun.' });

export type Query = z.output<typeof querySchema>;
export type QueryResult = z.output<typeof queryResult>;
