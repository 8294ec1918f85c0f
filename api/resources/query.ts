import { z } from 'zod';
import { text, timestamp, uuid, wholeNumber } from '../fields.ts';

export const queryId = uuid('0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007').describe('identifier of the query');

/** The largest page of rows that one request may ask for. */
export const maxRowLimit = 10_000;

const nullableTime = timestamp().nullable();

export const querySchema = z
  .object({
    id: queryId,
    createdAt: timestamp(),
    startedAt: nullableTime.describe('null until execution starts'),
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
        hasMore: z.boolean().meta({ description: 'whether more rows are still being fetched', examples: [false] }),
        numRows: z
          .int()
          .min(0)
          .meta({ description: 'number of rows that can be read now', examples: [1] }),
        error: z.string().optional().describe('why fetching the rows failed'),
      }),
    }),
    z.object({
      ...resultFields,
      type: z.literal('update'),
      detail: z.object({ updateCount: z.int().min(0).nullable().describe('number of rows changed') }),
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
  .meta({ id: 'Rows', description: "Rows of cells, written in their columns' formats.", examples: [[['Acme']]] });

/** The query string of reading rows. */
export const rowsPage = z.strictObject({
  seek: wholeNumber.optional().meta({ description: 'index of the first row, from 0', examples: ['0'] }),
  limit: wholeNumber
    .refine((limit) => limit >= 1 && limit <= maxRowLimit, `must be 1 to ${maxRowLimit}`)
    .optional()
    .meta({
      description: `number of rows, at most ${maxRowLimit}; default: 1000`,
      minimum: 1,
      maximum: maxRowLimit,
      examples: ['1000'],
    }),
});

/** The request to execute commands. */
export const newQuery = z.strictObject({
  commands: z
    .array(text({ min: 1, max: 1_000_000 }, 'select 1'))
    .min(1, 'must have at least one command')
    .max(1000, 'must have at most 1000 commands')
    .describe('run one after another in a single transaction'),
});

export const queryStarted = z
  .object({ queryId })
  .meta({ id: 'QueryStarted', description: 'A query that was started.' });

export type Query = z.output<typeof querySchema>;
export type QueryResult = z.output<typeof queryResult>;
